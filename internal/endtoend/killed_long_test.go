//go:build long

package endtoend

import "testing"

func TestLongKilledOnSQLite(t *testing.T)     { killedUnderLoad(t, sqliteFile(t), 100) }
func TestLongKilledOnPostgreSQL(t *testing.T) { killedUnderLoad(t, postgresDatabase(t), 100) }
