//go:build wasip1

package transport

import _ "hsim/abi/guest" // hsim_buffer
