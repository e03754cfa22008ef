module bindery.example/check

go 1.19

require (
	bindery.example/bindery/api v0.0.0
	gopkg.in/validator.v2 v2.0.1
)

replace (
	bindery.example/bindery/api => ../../generated/openapi-generator/go
	gopkg.in/validator.v2 => ./validator
)
