"""The author's class: fields, tools, stages, the gate, the prompt."""
