"""Tests of rules: `NAME.test.yaml` beside `NAME.alog`.

finding    the files of tests in a folder
marked     YAML in which every scalar is a text with its place
suite      what a file says: cases with facts and expectations
texts      facts, answers and literals as texts, read by the parser of the language
replaying  a case through the engine
judging    expected and found, side by side
coverage   the parts of rules that no case confirms, denies or misses
recording  expectations written into the file, from what comes out
running    all files of a run, and what they come to
"""
