// Package schedule lets algorithm plugins emit the schedules of collectives: it
// calls hsim_algo_<name> once for each rank and puts what the imports say onto
// the rank's tape.
//
// It owns the plugins' instances. The scenario calls it, hccl compiles, proves
// and runs what comes out. It must never know what a step means: that is hccl's.
package schedule
