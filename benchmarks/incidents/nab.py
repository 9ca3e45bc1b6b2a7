"""x"""


def main() -> None:
    return
