"""What a type checker must refuse of steps and flows; each line says with which error."""

from cuelight import Flow, Step, direct, go, stay, tool


class Ask(Step["Talk"]):
    name: str = ""
    memory = 5  # expect: assignment
    waits = "yes"  # expect: assignment

    @tool
    def record(self, name: str) -> None:
        self.flow.missing()  # expect: attr-defined
        self.flow.step(Ask).nmae()  # expect: attr-defined
        self.flow.step(5)  # expect: call-overload
        self.save_state(5)  # expect: arg-type

    def get_prompt(self) -> int:  # expect: override
        return 5

    def on_crossing(self, message: str) -> str:  # expect: override
        return message


class Talk(Flow):
    steps = (Ask,)
    initial_step = 5  # expect: assignment


def check(talk: Talk) -> None:
    talk.stage = "Ask"  # expect: misc
    talk.step(Ask).name = 5  # expect: assignment
    talk.step(Ask).record(5)  # expect: arg-type
    go()  # expect: call-arg
    go(Ask).with_prompt(5)  # expect: arg-type
    go(Ask).with_message({"a": 1})  # expect: arg-type
    go(Ask).with_content_type("image/png")  # expect: arg-type
    go(Ask).prompt = "x"  # expect: misc
    stay(5)  # expect: arg-type
    direct()  # expect: call-arg
