-- Studies as version 14 wrote them.

INSERT INTO studies (key, id, version, state, body) OVERRIDING SYSTEM VALUE VALUES
    (1, 'a', 1, 'open', '{"id":"a","name":"Kameras für “draußen”","prompt":"Which one?\u0000\n","settings":{"strategy":{"k":4,"delta":0.1,"model":{"segments":[{"name":"a","share":0.3333333333333333},{"name":"b","share":0.6666666666666666}]},"kappa":0,"ridge":0,"mu":0,"explore":0,"criterion":0,"ties":0,"alpha":0,"batches":0,"seed":18446744073709551615},"picks":2,"budget":1000,"each":20,"lease":60000000000,"grace":-1},"arms":6,"withdrawn":[5],"state":"open","version":1,"created":"2025-03-30T01:59:59.123456Z","changed":"2025-03-30T01:59:59.123456Z"}'),
    (2, 'draft', 2, 'draft', '{"id":"draft","name":"Kameras für “draußen”","prompt":"Which one?\u0000\n","settings":{"strategy":{"k":4,"delta":0.1,"model":{"segments":[{"name":"a","share":0.3333333333333333},{"name":"b","share":0.6666666666666666}]},"kappa":0,"ridge":0,"mu":0,"explore":0,"criterion":0,"ties":0,"alpha":0,"batches":0,"seed":18446744073709551615},"picks":2,"budget":1000,"each":20,"lease":60000000000,"grace":-1},"arms":6,"withdrawn":[5],"panel":true,"state":"draft","version":2,"created":"2025-03-30T01:59:59.123456Z","changed":"2025-03-30T01:59:59.123456Z"}'),
    (3, 'paused', 1, 'paused', '{"id":"paused","name":"Kameras für “draußen”","prompt":"Which one?\u0000\n","settings":{"strategy":{"k":4,"delta":0.1,"model":{"segments":[{"name":"a","share":0.3333333333333333},{"name":"b","share":0.6666666666666666}]},"kappa":0,"ridge":0,"mu":0,"explore":0,"criterion":0,"ties":0,"alpha":0,"batches":0,"seed":18446744073709551615},"picks":2,"budget":1000,"each":20,"lease":60000000000,"grace":-1},"arms":6,"withdrawn":[5],"state":"paused","version":1,"created":"2025-03-30T01:59:59.123456Z","changed":"2025-03-30T01:59:59.123456Z"}'),
    (4, 'stopped', 1, 'done', '{"id":"stopped","name":"Kameras für “draußen”","prompt":"Which one?\u0000\n","settings":{"strategy":{"k":4,"delta":0.1,"model":{"segments":[{"name":"a","share":0.3333333333333333},{"name":"b","share":0.6666666666666666}]},"kappa":0,"ridge":0,"mu":0,"explore":0,"criterion":0,"ties":0,"alpha":0,"batches":0,"seed":18446744073709551615},"picks":2,"budget":1000,"each":20,"lease":60000000000,"grace":-1},"arms":6,"withdrawn":[5],"state":"done","reason":"stopped","version":1,"created":"2025-03-30T01:59:59.123456Z","changed":"2025-03-30T01:59:59.123456Z"}');

INSERT INTO catalogues (study, bytes) VALUES
    (1, '\x61726d73'),
    (2, ''),
    (3, ''),
    (4, '');

INSERT INTO outcomes (study, number, position, kind, shown, picks, respondent, segment, plan, asked, at, undoes, note) VALUES
    (1, 1, 0, 'answered', '[0,1,2]', '[2,0]', 'Zoë 0', 'north', 1, '2025-03-30 01:59:59.123456+00', '2025-03-30 01:59:59.123456+00', NULL, '{"rationale":"“B”\nis \u003cwarmer\u003e","metadata":{"run":"","température":"0.5"},"judge":"model"}'),
    (1, 2, 1, 'answered', '[1,2,3]', '[2,0]', 'Zoë 1', 'north', 1, '2025-03-30 01:59:59.123456+00', '2025-03-30 01:59:59.123457+00', NULL, '{"rationale":"“B”\nis \u003cwarmer\u003e","metadata":{"run":"","température":"0.5"},"judge":"model"}'),
    (1, 3, 1, 'undone', 'null', 'null', '', '', 0, '0001-01-01 00:00:00+00', '2025-03-30 01:59:59.123456+00', 2, ''),
    (1, 4, 2, 'skipped', 'null', 'null', '', '', 0, '0001-01-01 00:00:00+00', '2025-03-30 01:59:59.123456+00', NULL, '');

INSERT INTO imports (key, study, after, rows, touched) OVERRIDING SYSTEM VALUE VALUES
    (1, 1, 4, 2, '2025-03-30 01:59:59.123456+00');

INSERT INTO imported (import, place, kind, shown, picks, respondent, segment, asked, at, note) VALUES
    (1, 1, 'imported', '[0,1,2]', '[2,0]', 'Zoë 0', 'north', '2025-03-30 01:59:59.123456+00', '2025-03-30 01:59:59.123456+00', '{"rationale":"“B”\nis \u003cwarmer\u003e","metadata":{"run":"","température":"0.5"},"judge":"model"}'),
    (1, 2, 'imported', '[1,2,3]', '[2,0]', 'Zoë 1', 'north', '2025-03-30 01:59:59.123456+00', '2025-03-30 01:59:59.123457+00', '{"rationale":"“B”\nis \u003cwarmer\u003e","metadata":{"run":"","température":"0.5"},"judge":"model"}');

INSERT INTO plans (study, number, arms, withdrawn, upto, first, questions, verdict, done, at) VALUES
    (1, 1, 6, '[5]', 0, 0, '[[0,1,2],[1,2,3],[2,3,4],[3,4,5]]', '{"leader":2}', '', '2025-03-30 01:59:59.123456+00');

INSERT INTO progress (study, outcomes, told, plans, planned, claimed, planner, until) VALUES
    (1, 6, 0, 1, 4, 2, 'planner', '2025-03-30 02:59:59.123456+00');

INSERT INTO progress (study) VALUES
    (2),
    (3),
    (4);

INSERT INTO questions (study, position, claimed, number, stands) VALUES
    (1, 0, '2025-03-30 01:59:59.123456+00', 1, true),
    (1, 1, '2025-03-30 01:59:59.123456+00', 3, false),
    (1, 2, NULL, 4, true);

INSERT INTO snapshots (study, plan, state) VALUES
    (1, 1, '\x7374617465');

INSERT INTO secrets (one, bytes) VALUES
    (1, '\x0707070707070707070707070707070707070707070707070707070707070707');

INSERT INTO batches (study, name) VALUES
    (1, 'survey');

INSERT INTO tokens (name, role, hash, created, study, expires) VALUES
    ('Zoë', 'owner', 'c6a12698582fc1104ea24107a2d7268145ff06ef859707729d01fd060897f067', '2025-03-30 01:59:59.123456+00', '', '0001-01-01 00:00:00+00');

INSERT INTO audit (number, at, actor, operation, about, detail) OVERRIDING SYSTEM VALUE VALUES
    (1, '2025-03-30 01:59:59.123457+00', '“Zoë”', 'import-answers', 'a', 'batch “survey” ''%\ 1'),
    (2, '2025-03-30 01:59:59.123458+00', '“Zoë”', 'import-answers', 'a', 'batch “survey” ''%\ 2');

INSERT INTO members (study, number, name, segment, key, hash, added) VALUES
    (2, 1, 'Zoë', 'north', 'key of Zoë', '11701e2b028f188e6ff5f673048264a57275c66638b27080d84e92cd07ac8570', '2025-03-30 01:59:59.123456+00');

SELECT setval('studies_key_seq', 4, true);
SELECT setval('audit_number_seq', 2, true);

INSERT INTO webhooks (study, url, secret, delivery, made, state, attempts, first, last, status, problem, next) VALUES
    (1, 'https://example.com/“hook”?a=1', 'secret of a hook', 'delivery', '2025-03-30 01:59:59.123456+00', 'waiting', 3, '2025-03-30 01:59:59.123457+00', '2025-03-30 02:00:00.123456+00', 500, '“Zoë” ''%\', '2025-03-30 02:00:59.123456+00');

SELECT setval('studies_key_seq', 4, true);
SELECT setval('audit_number_seq', 2, true);
SELECT setval('imports_key_seq', 1, true);

INSERT INTO ended_sessions (session, until) VALUES ('session of Zoë', '2025-03-30 01:59:59.123456+00');

INSERT INTO pictures (study, hash, type, bytes) VALUES (1, 'abc', 'image/png', '\x00ff10');

INSERT INTO deliveries (study, number, at, test, status, problem, took) VALUES (1, 1, '2025-03-30 01:59:59.123456+00', true, 500, '“Zoë”', 1000);
INSERT INTO profiles (study, respondent, refused, answers) VALUES (1, 'Zoë', true, '{"age":"“18–29”"}');
