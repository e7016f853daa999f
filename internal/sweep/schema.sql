CREATE TABLE IF NOT EXISTS bestpick_sweeps.sweep (
	id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	spec bytea NOT NULL,
	seen timestamptz NOT NULL DEFAULT now() -- when the command that waits for the results last looked
);

-- Results that the command has not yet received.
CREATE TABLE IF NOT EXISTS bestpick_sweeps.result (
	sweep   bigint NOT NULL REFERENCES bestpick_sweeps.sweep ON DELETE CASCADE,
	run     integer NOT NULL,
	result  text NOT NULL,
	failure text NOT NULL,
	PRIMARY KEY (sweep, run)
);

DELETE FROM bestpick_sweeps.river_job WHERE kind = 'run' AND (args->>'sweep')::bigint IN
	(SELECT id FROM bestpick_sweeps.sweep WHERE seen < now() - interval '1 hour');
DELETE FROM bestpick_sweeps.sweep WHERE seen < now() - interval '1 hour';
