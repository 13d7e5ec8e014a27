module example

go 1.19

require causeway v0.0.0

replace causeway => ../../sdk/go
