package guest

import (
	"encoding/binary"
	"math"

	"hsim/host/acl"
	"hsim/host/sim"
)

var eventAnswers = map[string]answer{
	"aclrtCreateEvent": func(c call) uint32 {
		return c.newEvent(func() (*acl.Event, error) { return c.t.acl.CreateEvent() })
	},
	"aclrtCreateEventWithFlag": func(c call) uint32 {
		return c.newEvent(func() (*acl.Event, error) { return c.t.acl.CreateEventWithFlag(c.u32(1)) })
	},
	"aclrtCreateEventExWithFlag": func(c call) uint32 {
		return c.newEvent(func() (*acl.Event, error) { return c.t.acl.CreateEventExWithFlag(c.u32(1)) })
	},
	"aclrtDestroyEvent": func(c call) uint32 { return c.code(c.t.acl.DestroyEvent(c.event(0))) },
	"aclrtGetEventId": func(c call) uint32 {
		return c.number(1, func() (int, error) { return c.t.acl.GetEventId(c.event(0)) })
	},
	"aclrtRecordEvent": func(c call) uint32 { return c.code(c.t.acl.RecordEvent(c.event(0), c.stream(1))) },
	"aclrtQueryEventStatus": func(c call) uint32 {
		c.t.spins()
		return c.flag(1, func() (bool, error) { return c.t.acl.QueryEventStatus(c.event(0)) })
	},
	"aclrtQueryEventWaitStatus": func(c call) uint32 {
		c.t.spins()
		return c.flag(1, func() (bool, error) {
			done, err := c.t.acl.QueryEventWaitStatus(c.event(0))
			return !done, err
		})
	},
	"aclrtResetEvent":       func(c call) uint32 { return c.code(c.t.acl.ResetEvent(c.event(0), c.stream(1))) },
	"aclrtSynchronizeEvent": func(c call) uint32 { return c.code(c.t.acl.SynchronizeEvent(c.event(0))) },
	"aclrtSynchronizeEventWithTimeout": func(c call) uint32 {
		return c.timed(c.i32(1), func() error { return c.t.acl.SynchronizeEventWithTimeout(c.event(0), c.i32(1)) })
	},
	"aclrtStreamWaitEvent": func(c call) uint32 { return c.code(c.t.acl.StreamWaitEvent(c.stream(0), c.event(1))) },
	"aclrtEventElapsedTime": func(c call) uint32 {
		if !c.out(0, 4) {
			return c.noOut(0)
		}
		d, err := c.t.acl.EventElapsedTime(c.event(1), c.event(2))
		if err != nil {
			return c.code(err)
		}
		return c.set(0, math.Float32bits(float32(float64(d)/float64(sim.Millisecond))))
	},
	"aclrtEventGetTimestamp": func(c call) uint32 {
		return c.long64(1, func() (int64, error) {
			at, err := c.t.acl.EventGetTimestamp(c.event(0))
			return int64(at / sim.Microsecond), err
		})
	},
}

func (c call) newEvent(f func() (*acl.Event, error)) uint32 {
	if !c.out(0, 4) {
		return c.noOut(0)
	}
	e, err := f()
	if err != nil {
		return c.code(err)
	}
	return c.set(0, uint32(acl.HandleOf(c.t.p.acl, e)))
}

var notifyAnswers = map[string]answer{
	"aclrtCreateNotify": func(c call) uint32 {
		return c.newNotify(func() (*acl.Notify, error) { return c.t.acl.CreateNotify(c.flags(1)) })
	},
	"aclrtDestroyNotify": func(c call) uint32 { return c.code(c.t.acl.DestroyNotify(c.notify(0))) },
	"aclrtGetNotifyId": func(c call) uint32 {
		return c.number(1, func() (int, error) { return c.t.acl.GetNotifyId(c.notify(0)) })
	},
	"aclrtRecordNotify": func(c call) uint32 { return c.code(c.t.acl.RecordNotify(c.notify(0), c.stream(1))) },
	"aclrtWaitAndResetNotify": func(c call) uint32 {
		return c.code(c.t.acl.WaitAndResetNotify(c.notify(0), c.stream(1), c.u32(2)))
	},
	"aclrtNotifyGetExportKey": func(c call) uint32 {
		return c.newKey(1, 2, func(length int) (string, error) {
			return c.t.acl.NotifyGetExportKey(c.notify(0), length, c.flags(3))
		})
	},
	"aclrtNotifyImportByKey": func(c call) uint32 {
		key, ok := c.text(c.u32(1))
		if !ok {
			return c.noOut(1)
		}
		return c.newNotify(func() (*acl.Notify, error) { return c.t.acl.NotifyImportByKey(key, c.flags(2)) })
	},
	"aclrtNotifySetImportPid": func(c call) uint32 {
		return c.pids(1, 2, func(pids []int) error { return c.t.acl.NotifySetImportPid(c.notify(0), pids...) })
	},
}

func (c call) newNotify(f func() (*acl.Notify, error)) uint32 {
	if !c.out(0, 4) {
		return c.noOut(0)
	}
	n, err := f()
	if err != nil {
		return c.code(err)
	}
	return c.set(0, uint32(acl.HandleOf(c.t.p.acl, n)))
}

// newKey answers a call that writes a key into a buffer whose length is an argument.
func (c call) newKey(buf, length int, f func(length int) (string, error)) uint32 {
	n := c.u32(length)
	if n > 0 && c.bytes(c.u32(buf), min(n, acl.KeyLen)) == nil {
		return c.noOut(buf)
	}
	key, err := f(int(min(n, math.MaxInt32)))
	if err != nil {
		return c.code(err)
	}
	b := c.bytes(c.u32(buf), acl.KeyLen)
	clear(b)
	copy(b[:acl.KeyLen-1], key)
	return 0
}

// pids answers a call that takes an array of process numbers and its length.
func (c call) pids(list, n int, f func(pids []int) error) uint32 {
	count := c.u32(n)
	if count == 0 {
		return c.code(f(nil))
	}
	b := c.bytes(c.u32(list), min(count, 1<<20)*4)
	if b == nil {
		return c.noOut(list)
	}
	pids := make([]int, len(b)/4)
	for i := range pids {
		pids[i] = int(int32(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return c.code(f(pids))
}
