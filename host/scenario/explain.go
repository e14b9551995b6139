package scenario

import "errors"

// Explain says what each run of each variant is made of.
func Explain(sc *Scenario) (string, error) { return "", errors.New("scenario: explain: not built yet") }
