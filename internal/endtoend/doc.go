// Package endtoend tests the program from outside: killed processes, several processes on one
// database, and many concurrent respondents over HTTP.
package endtoend
