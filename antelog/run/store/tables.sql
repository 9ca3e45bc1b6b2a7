CREATE TABLE state (
    one INTEGER PRIMARY KEY CHECK (one = 1), known BLOB, generation INTEGER, recorded INTEGER, checksum BLOB
);
CREATE TABLE pieces (generation INTEGER, number INTEGER, content BLOB, PRIMARY KEY (generation, number));
CREATE TABLE steps (step INTEGER PRIMARY KEY, now INTEGER);
CREATE TABLE rows (number INTEGER PRIMARY KEY, step INTEGER, input TEXT, file TEXT, content BLOB);
CREATE TABLE feed (last INTEGER PRIMARY KEY, count INTEGER, at INTEGER, head INTEGER, lines BLOB);
CREATE TABLE inputs (name TEXT PRIMARY KEY, posted INTEGER, names TEXT);
CREATE TABLE posted (number INTEGER PRIMARY KEY, input TEXT, last INTEGER, facts BLOB);
CREATE TABLE place (one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER);
CREATE TABLE letters (
    id INTEGER PRIMARY KEY, receiver TEXT, key TEXT, body TEXT, about TEXT, tries INTEGER DEFAULT 0
);
CREATE INDEX waiting ON letters (receiver, tries / 5, id);
CREATE INDEX answers ON letters (receiver, about, id);
CREATE TABLE receivers (name TEXT PRIMARY KEY);
CREATE TABLE counts (receiver TEXT, outcome TEXT, number INTEGER, PRIMARY KEY (receiver, outcome));
CREATE TABLE acts (
    number INTEGER PRIMARY KEY, name TEXT, kind TEXT, who TEXT, at REAL, until REAL, note TEXT
);
CREATE TABLE act_answers (act INTEGER, answer TEXT, PRIMARY KEY (act, answer));
CREATE INDEX acknowledged ON act_answers (answer);
CREATE TABLE slots (one INTEGER PRIMARY KEY CHECK (one = 1), content BLOB);
CREATE TABLE silent (input TEXT, slot TEXT, PRIMARY KEY (input, slot));
CREATE TABLE lost (answer TEXT PRIMARY KEY, line TEXT);
CREATE TABLE details (answer TEXT PRIMARY KEY, line TEXT, at REAL, found BLOB);
CREATE TABLE alerts_from (one INTEGER PRIMARY KEY CHECK (one = 1), tick INTEGER);
CREATE TABLE alert_groups (
    receiver TEXT, name TEXT, until REAL, severity INTEGER, confirmed INTEGER, beyond INTEGER,
    PRIMARY KEY (receiver, name)
);
CREATE TABLE held (id INTEGER PRIMARY KEY, receiver TEXT, name TEXT, item TEXT);
CREATE INDEX held_groups ON held (receiver, name, id);
CREATE TABLE past (answer TEXT PRIMARY KEY, line TEXT);
CREATE TABLE firing (
    receiver TEXT, answer TEXT, name TEXT, query TEXT, since REAL, PRIMARY KEY (receiver, answer)
);
CREATE TABLE unseen (receiver TEXT, answer TEXT, PRIMARY KEY (receiver, answer));
CREATE INDEX firing_groups ON firing (receiver, name, query, since);
