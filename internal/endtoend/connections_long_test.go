//go:build long

package endtoend

import "testing"

func TestLongConnectionsOfClients(t *testing.T)    { clientsCutOff(t, 20) }
func TestLongConnectionsOfPostgreSQL(t *testing.T) { databaseCutOff(t, 20) }
func TestLongSilence(t *testing.T)                 { silence(t) }
