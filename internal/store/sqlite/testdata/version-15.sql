-- Studies as version 15 wrote them.

INSERT INTO studies (key, id, version, state, body) VALUES
    (1, 'a', 1, 'open', '{"id":"a","name":"Kameras für “draußen”","prompt":"Which one?\u0000\n","settings":{"strategy":{"k":4,"delta":0.1,"model":{"segments":[{"name":"a","share":0.3333333333333333},{"name":"b","share":0.6666666666666666}]},"kappa":0,"ridge":0,"mu":0,"explore":0,"criterion":0,"ties":0,"alpha":0,"batches":0,"seed":18446744073709551615},"picks":2,"budget":1000,"each":20,"lease":60000000000,"grace":-1},"arms":6,"withdrawn":[5],"state":"open","version":1,"created":"2025-03-30T01:59:59.123456Z","changed":"2025-03-30T01:59:59.123456Z"}'),
    (2, 'draft', 2, 'draft', '{"id":"draft","name":"Kameras für “draußen”","prompt":"Which one?\u0000\n","settings":{"strategy":{"k":4,"delta":0.1,"model":{"segments":[{"name":"a","share":0.3333333333333333},{"name":"b","share":0.6666666666666666}]},"kappa":0,"ridge":0,"mu":0,"explore":0,"criterion":0,"ties":0,"alpha":0,"batches":0,"seed":18446744073709551615},"picks":2,"budget":1000,"each":20,"lease":60000000000,"grace":-1},"arms":6,"withdrawn":[5],"panel":true,"state":"draft","version":2,"created":"2025-03-30T01:59:59.123456Z","changed":"2025-03-30T01:59:59.123456Z"}'),
    (3, 'paused', 1, 'paused', '{"id":"paused","name":"Kameras für “draußen”","prompt":"Which one?\u0000\n","settings":{"strategy":{"k":4,"delta":0.1,"model":{"segments":[{"name":"a","share":0.3333333333333333},{"name":"b","share":0.6666666666666666}]},"kappa":0,"ridge":0,"mu":0,"explore":0,"criterion":0,"ties":0,"alpha":0,"batches":0,"seed":18446744073709551615},"picks":2,"budget":1000,"each":20,"lease":60000000000,"grace":-1},"arms":6,"withdrawn":[5],"state":"paused","version":1,"created":"2025-03-30T01:59:59.123456Z","changed":"2025-03-30T01:59:59.123456Z"}'),
    (4, 'stopped', 1, 'done', '{"id":"stopped","name":"Kameras für “draußen”","prompt":"Which one?\u0000\n","settings":{"strategy":{"k":4,"delta":0.1,"model":{"segments":[{"name":"a","share":0.3333333333333333},{"name":"b","share":0.6666666666666666}]},"kappa":0,"ridge":0,"mu":0,"explore":0,"criterion":0,"ties":0,"alpha":0,"batches":0,"seed":18446744073709551615},"picks":2,"budget":1000,"each":20,"lease":60000000000,"grace":-1},"arms":6,"withdrawn":[5],"state":"done","reason":"stopped","version":1,"created":"2025-03-30T01:59:59.123456Z","changed":"2025-03-30T01:59:59.123456Z"}');

INSERT INTO catalogues (study, bytes) VALUES
    (1, X'61726d73'),
    (2, X''),
    (3, X''),
    (4, X'');

INSERT INTO progress (study, outcomes, told, plans, planned, claimed, planner, until) VALUES
    (1, 6, 0, 1, 4, 2, 'planner', 1743303599123456);

INSERT INTO progress (study) VALUES
    (2),
    (3),
    (4);

INSERT INTO outcomes (study, number, position, kind, shown, picks, respondent, segment, plan, asked, at, undoes, began, note) VALUES
    (1, 1, 0, 'answered', '[0,1,2]', '[2,0]', 'Zoë 0', 'north', 1, 1743299999123456, 1743299999123456, NULL, 1, '{"rationale":"“B”\nis \u003cwarmer\u003e","metadata":{"run":"","température":"0.5"},"judge":"model"}'),
    (1, 2, 1, 'answered', '[1,2,3]', '[2,0]', 'Zoë 1', 'north', 1, 1743299999123456, 1743299999123457, NULL, 2, '{"rationale":"“B”\nis \u003cwarmer\u003e","metadata":{"run":"","température":"0.5"},"judge":"model"}'),
    (1, 3, 1, 'undone', 'null', 'null', '', '', 0, -62135596800000000, 1743299999123456, 2, 3, ''),
    (1, 4, 2, 'skipped', 'null', 'null', '', '', 0, -62135596800000000, 1743299999123456, NULL, 3, '');

INSERT INTO imports (key, study, after, rows, touched) VALUES
    (1, 1, 4, 2, 1743299999);

INSERT INTO imported (import, place, kind, shown, picks, respondent, segment, asked, at, note) VALUES
    (1, 1, 'imported', '[0,1,2]', '[2,0]', 'Zoë 0', 'north', 1743299999123456, 1743299999123456, '{"rationale":"“B”\nis \u003cwarmer\u003e","metadata":{"run":"","température":"0.5"},"judge":"model"}'),
    (1, 2, 'imported', '[1,2,3]', '[2,0]', 'Zoë 1', 'north', 1743299999123456, 1743299999123457, '{"rationale":"“B”\nis \u003cwarmer\u003e","metadata":{"run":"","température":"0.5"},"judge":"model"}');

INSERT INTO questions (study, position, claimed, number, stands) VALUES
    (1, 0, 1743299999123456, 1, 1),
    (1, 1, 1743299999123456, 3, 0),
    (1, 2, NULL, 4, 1);

INSERT INTO plans (study, number, arms, withdrawn, upto, first, questions, verdict, done, at) VALUES
    (1, 1, 6, '[5]', 0, 0, '[[0,1,2],[1,2,3],[2,3,4],[3,4,5]]', '{"leader":2}', '', 1743299999123456);

INSERT INTO snapshots (study, plan, state) VALUES
    (1, 1, X'7374617465');

INSERT INTO secrets (one, bytes) VALUES
    (1, X'0707070707070707070707070707070707070707070707070707070707070707');

INSERT INTO batches (study, name) VALUES
    (1, 'survey');

INSERT INTO tokens (name, role, hash, created, study, expires) VALUES
    ('Zoë', 'owner', 'c6a12698582fc1104ea24107a2d7268145ff06ef859707729d01fd060897f067', 1743299999123456, '', -62135596800000000);

INSERT INTO audit (number, at, actor, operation, about, detail) VALUES
    (1, 1743299999123457, '“Zoë”', 'import-answers', 'a', 'batch “survey” ''%\ 1'),
    (2, 1743299999123458, '“Zoë”', 'import-answers', 'a', 'batch “survey” ''%\ 2');

INSERT INTO members (study, number, name, segment, key, hash, added) VALUES
    (2, 1, 'Zoë', 'north', 'key of Zoë', '11701e2b028f188e6ff5f673048264a57275c66638b27080d84e92cd07ac8570', 1743299999123456);

INSERT INTO webhooks (study, url, secret, delivery, made, state, attempts, first, last, status, problem, next) VALUES
    (1, 'https://example.com/“hook”?a=1', 'secret of a hook', 'delivery', 1743299999123456, 'waiting', 3, 1743299999123457, 1743300000123456, 500, '“Zoë” ''%\', 1743300059123456);

INSERT INTO ended_sessions (session, until) VALUES ('session of Zoë', 1743299999123456);

INSERT INTO pictures (study, hash, type, bytes) VALUES (1, 'abc', 'image/png', x'00ff10');

INSERT INTO deliveries (study, number, at, test, status, problem, took) VALUES (1, 1, 1743299999123456, 1, 500, '“Zoë”', 1000);
INSERT INTO profiles (study, respondent, refused, answers) VALUES (1, 'Zoë', 1, '{"age":"“18–29”"}');
INSERT INTO jobs (kind, args, due, attempts) VALUES ('work', 'Zoë', 1743299999123456, 3);
