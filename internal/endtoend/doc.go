// Package endtoend tests the program from outside, as its users meet it: processes that are killed,
// several on one database, many people at once over HTTP.
package endtoend
