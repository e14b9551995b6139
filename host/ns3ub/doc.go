// Package ns3ub runs the case directories of ns-3-UB as they are: it reads the
// files, checks them against each other, lays out nodes, links, routes and
// transport channels as given, runs the tasks of traffic.csv and writes
// task_statistics.csv.
//
// cmd/hsim calls it. It stands beside host/scenario at the top of the house and
// owns nothing of the simulation itself: packets are moved by host/fabric, the
// protocol is the ub plugin's. It must never know devices, streams or
// collectives.
package ns3ub
