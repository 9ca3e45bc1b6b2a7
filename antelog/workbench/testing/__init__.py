"""Tests of rules: `NAME.test.yaml` beside `NAME.alog`.

A file is read (`marked`, `texts`, `suite`), its cases run and compared with what is expected (`judging`);
`results` has what came of all files.
"""
