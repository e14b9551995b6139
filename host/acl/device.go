package acl

func (t *Thread) use(call string, logic int) (*deviceUse, error) {
	if logic < 0 || logic >= len(t.p.uses) {
		return nil, fail(InvalidDeviceID, call, "got device %d, want 0..%d, the devices visible to %s", logic, len(t.p.uses)-1, t.p.name)
	}
	return t.p.uses[logic], nil
}

// GetDeviceCount is the number of visible devices; NoDevice when there is none.
func (t *Thread) GetDeviceCount() (int, error) {
	const call = "aclrtGetDeviceCount"
	if err := t.enter(call); err != nil {
		return 0, err
	}
	if len(t.p.uses) == 0 {
		return 0, fail(NoDevice, call, "%s sees no device", t.p.name)
	}
	return len(t.p.uses), nil
}

// SetDevice binds the thread to a device: the process's reference count goes
// up, the default context is made on first use, and becomes current. Errors:
// InvalidDeviceID, DevSetupError for a lost device.
func (t *Thread) SetDevice(logic int) error {
	const call = "aclrtSetDevice"
	if err := t.enter(call); err != nil {
		return err
	}
	u, err := t.use(call, logic)
	if err != nil {
		return err
	}
	if u.primary == nil {
		c, err := t.newContext(call, u, true)
		if err != nil {
			return err
		}
		u.primary = c
	}
	u.refs++
	t.ctx = u.primary
	return nil
}

// ResetDevice takes one SetDevice back. The last one waits for the tasks of the
// default context and frees it with all its streams; explicit contexts cannot
// be used any more. Errors: InvalidDeviceID, ContextNull for a device that the
// process has not set.
func (t *Thread) ResetDevice(logic int) error { return t.resetDevice("aclrtResetDevice", logic, false) }

// ResetDeviceForce is ResetDevice whatever the count.
func (t *Thread) ResetDeviceForce(logic int) error {
	return t.resetDevice("aclrtResetDeviceForce", logic, true)
}

func (t *Thread) resetDevice(call string, logic int, force bool) error {
	if err := t.enter(call); err != nil {
		return err
	}
	u, err := t.use(call, logic)
	if err != nil {
		return err
	}
	if u.refs == 0 {
		return fail(ContextNull, call, "device %d is not set by %s", logic, t.p.name)
	}
	if u.refs--; u.refs > 0 && !force {
		return nil
	}
	u.refs = 0
	c := u.primary
	u.primary = nil
	c.drain(t.proc)
	for len(u.contexts) > 0 {
		u.contexts[len(u.contexts)-1].release(true, releasedByReset)
	}
	u.disconnect()
	return nil
}

// GetDevice is the logic id of the device of the current context.
func (t *Thread) GetDevice() (int, error) {
	const call = "aclrtGetDevice"
	if err := t.enter(call); err != nil {
		return 0, err
	}
	c, err := t.context(call)
	if err != nil {
		return 0, err
	}
	return c.use.logic, nil
}

// GetSocName is the name of the chip of the current device, or of the first
// visible one; "" when no device is visible.
func (t *Thread) GetSocName() string {
	t.pay()
	switch {
	case t.ctx != nil:
		return t.ctx.use.dev.Chip().SocName
	case len(t.p.uses) == 0:
		return ""
	}
	return t.p.chip().SocName
}

// GetLogicDevIdByPhyDevId maps a physical id to the process's logic id.
func (t *Thread) GetLogicDevIdByPhyDevId(physical int) (int, error) {
	const call = "aclrtGetLogicDevIdByPhyDevId"
	if err := t.enter(call); err != nil {
		return 0, err
	}
	for _, u := range t.p.uses {
		if u.physical == physical {
			return u.logic, nil
		}
	}
	return 0, fail(InvalidDeviceID, call, "got physical device %d, which %s does not see", physical, t.p.name)
}

// GetPhyDevIdByLogicDevId maps a logic id to the physical id.
func (t *Thread) GetPhyDevIdByLogicDevId(logic int) (int, error) {
	const call = "aclrtGetPhyDevIdByLogicDevId"
	if err := t.enter(call); err != nil {
		return 0, err
	}
	u, err := t.use(call, logic)
	if err != nil {
		return 0, err
	}
	return u.physical, nil
}

// DeviceGetBareTgid is the pid that whitelists of IPC objects compare.
// ACLUninitialize before aclInit.
func (t *Thread) DeviceGetBareTgid() (int, error) {
	const call = "aclrtDeviceGetBareTgid"
	t.pay()
	if err := t.ready(call); err != nil {
		return 0, err
	}
	return t.p.pid, nil
}

// SetTsDevice chooses the task scheduler of the thread's later launches: 0 for AI
// cores, 1 for vector cores where the chip has them apart. Errors: ParamInvalid
// for a number of no scheduler, FeatureNotSupport for 1 on a chip with one.
func (t *Thread) SetTsDevice(ts int) error {
	const call = "aclrtSetTsDevice"
	if err := t.enter(call); err != nil {
		return err
	}
	switch {
	case ts < 0 || ts > 1:
		return fail(ParamInvalid, call, "got task scheduler %d, want 0 (AI cores) or 1 (vector cores)", ts)
	case ts == 1 && !splitCores(t.p.chip()):
		return fail(FeatureNotSupport, call, "got task scheduler 1, the cores of chip %s are cube and vector in one", t.p.chip().Name)
	}
	t.ts = ts
	return nil
}
