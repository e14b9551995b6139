package abi

func transportInterface() *Interface {
	path := layout(Record{Name: "path", Doc: "One way of a connection through the network.", Fields: []Field{
		field("local_port", "u16", ""), field("peer_port", "u16", ""), field("tpn", "u32", "number of the transport channel"),
	}})
	conn := layout(Record{Name: "conn", Doc: "A connection, for open and modify.", Fields: []Field{
		field("size", "u32", ""), field("id", "i32", ""), field("peer_device", "i32", ""),
		field("service", "u8", "hsim_service_*"), field("protocol", "u8", "information only"), field("order", "u8", "0 default, 1 by target, 2 by initiator, 3 by lower layer, 4 none"), field("lane", "u8", ""),
		field("service_level", "u8", ""), field("_pad0", "u8", ""), field("npaths", "u16", ""), array("paths", "path", MaxPaths, ""),
		field("mtu", "u32", "payload bytes of a full packet"), field("initial_psn", "u32", ""), field("window", "u32", "packets in flight, 0: the plugin's own"),
		field("ack_timeout", "u32", "4.096 us * 2^n, 0: never"), field("retry_count", "u32", ""), field("rnr_count", "u32", ""), field("rnr_timer", "u32", "verbs code"),
		field("udp_port", "u32", "source port"), field("entropy", "u32", "packet.entropy as the host fills it: a function of both devices and udp_port"),
		field("rate", "i64", "bit/s"), field("base_rtt", "i64", "ps"), field("hops", "u32", ""), field("flags", "u32", "hsim_conn_*"),
	}}, path)
	packet := layout(Record{Name: "packet", Doc: "One packet or a train of npkts packets with consecutive numbers.", Fields: []Field{
		field("size", "u32", ""), field("kind", "u8", "hsim_packet_*"), field("lane", "u8", ""), field("flags", "u16", "hsim_flag_*"),
		field("path", "u16", "index in conn.paths"), field("port", "u16", ""), field("entropy", "u32", "what switches hash"),
		field("npkts", "u32", "packets in the train, at least 1"), field("marked", "u32", "how many carry a congestion mark"),
		field("psn", "u32", "of the first packet"), field("payload", "u32", "bytes of the train"), field("wire", "u32", "bytes of the train with all headers"),
		field("msn", "u32", ""), field("conn", "i32", "receive: the receiver's id of the connection"), field("_pad0", "u32", ""),
		field("offset", "u64", "first byte of the packet, counted from the start of its message"), array("cc", "u32", 4, "for congestion control; switches may rewrite it"),
		field("sent_at", "i64", "ps"), field("now", "i64", "ps"), field("not_before", "i64", "next returned 0: when to ask again, 0: after a verdict with wake"),
		field("timer", "i64", "next: when to call the timer, 0: leave, -1: cancel"), field("ext_ptr", "u32", "receive and send: bytes beside a packet that is not data"), field("ext_len", "u32", "at most 256"),
	}})
	verdict := layout(Record{Name: "verdict", Doc: "What the plugin decided; the host clears it before the call, except size, now and what only counts beside a flag.", Fields: []Field{
		field("size", "u32", ""), field("deliver", "u8", "hsim_deliver_*"), field("wake", "u8", "1: ask the connection for packets again"), field("flags", "u16", ""),
		field("status", "i32", "not 0: fail the connection with this completion status"),
		field("acked_valid", "u8", ""), field("go_back_valid", "u8", ""), field("resend_valid", "u8", ""), field("reply", "u8", "1: send the reply packet"),
		field("acked", "u32", "all packets before this one are acknowledged"), field("go_back", "u32", "resume sending from this packet"), field("resend", "u32", "send packets again, from this one on"),
		field("reply_kind", "u8", ""), field("_pad0", "u8", ""), field("reply_flags", "u16", ""), field("reply_psn", "u32", ""), field("reply_wire", "u32", ""), field("reply_msn", "u32", ""),
		array("reply_cc", "u32", 4, ""), field("reply_ext_ptr", "u32", ""), field("reply_ext_len", "u32", ""), field("_pad1", "u32", ""),
		field("timer", "i64", "as packet.timer"), field("now", "i64", "ps"),
		field("resend_count", "u32", "packets from resend on, 0: one"), field("resend_map", "u32", "not 0: address of resend_count bits (at most 2048), lowest first: which of them"),
	}})
	return &Interface{
		Kind:   Transport,
		Module: importModule(Transport),
		Doc: "The protocol engine of a network port: sequence numbers, windows, acknowledgements, retransmission, time-outs, congestion control and " +
			"path choice. One instance per device; nothing blocks; the host owns queues, matching, completion order and flush. " +
			"hsim_abi_transport_v1 returns the services and features that the plugin carries.",
		Exports: []Func{
			declare("hsim_transport_start() i32", "Begin; called once after the parameters are set."),
			declare("hsim_transport_open(conn conn*) i32", "Add a connection."),
			declare("hsim_transport_modify(conn conn*) i32", "Attributes of a connection changed, or the host asks for what conn.flags says."),
			declare("hsim_transport_close(id i32)", "Forget a connection."),
			declare("hsim_transport_next(id i32, left i64, room i64, packet packet*) i64",
				"Fill the connection's next packet from at most left bytes of the message and room bytes of credit; return its payload bytes, or 0 and packet.not_before."),
			declare("hsim_transport_receive(packet packet*, verdict verdict*)", "A packet arrived."),
			declare("hsim_transport_timer(id i32, verdict verdict*)", "The connection's timer expired."),
			declare("hsim_transport_link(port u32, up u32, rate rate)", "A port's link went up or down or changed its rate."),
		},
		Imports: []Func{
			declare("send(packet cptr) i32",
				"Send a packet that is not data after the present call returns: a probe, a notification. conn, kind, psn, msn, wire, flags, lane, path, cc and ext_* are read; entropy 0 is the connection's."),
			declare("random() u64", "The next number of the instance's seeded stream."),
			declare("count(name cptr, n u32, by i64)", "Add to a named counter of the report."),
			declare("trace(name cptr, n u32, value i64)", "Add a sample to a named track of the trace."),
			declare("log(text cptr, n u32)", "Write a line to the log."),
			declare("fail(text cptr, n u32)", "End the run of this plugin with an error; does not return."),
		},
		Records: []Record{path, conn, packet, verdict},
		Enums: []Enum{
			{"packet", "Kinds of packets.", []Const{
				{"data", PacketData, ""}, {"ack", PacketAck, ""}, {"nak", PacketNak, ""}, {"sack", PacketSack, ""},
				{"cnp", PacketCNP, "congestion notification"}, {"read_request", PacketReadRequest, ""}, {"probe", PacketProbe, ""},
			}},
			{"flag", "Bits of packet.flags.", []Const{
				{"first", PacketFirst, "first packet of a message"}, {"last", PacketLast, "last packet of a message"},
				{"ack_request", PacketAckRequest, ""}, {"spray", PacketSpray, "switches may pick a path per packet"},
				{"corrupt", PacketCorrupt, "arrived with a bad checksum"}, {"retransmission", PacketRetransmission, ""}, {"notify", PacketNotify, "the message carries a notify"},
				{"no_receive", PacketNoReceive, "receive: a send without a posted receive; answer not-ready, do not deliver"},
			}},
			{"deliver", "Values of verdict.deliver.", []Const{
				{"none", DeliverNone, "nothing for the host"}, {"in_order", DeliverInOrder, ""}, {"out_of_order", DeliverOutOfOrder, ""}, {"drop", DeliverDrop, ""},
			}},
			{"service", "Services of a connection.", []Const{
				{"reliable", ServiceReliable, ""}, {"unreliable", ServiceUnreliable, ""}, {"datagram", ServiceDatagram, ""}, {"memory", ServiceMemory, ""},
			}},
			{"conn", "Bits of conn.flags in a modify.", []Const{
				{"pause", ConnPause, "send nothing until a modify without this bit"}, {"drain", ConnDrain, "finish what is in flight, start nothing new"},
				{"error", ConnError, "the host has failed the connection"}, {"reset", ConnReset, "back to the state after open"},
			}},
			{"feature", "Bits returned by hsim_abi_transport_v1.", []Const{
				{"reliable", FeatureReliable, ""}, {"unreliable", FeatureUnreliable, ""}, {"datagram", FeatureDatagram, ""}, {"memory", FeatureMemory, ""},
				{"notify_with_write", FeatureNotifyWithWrite, ""}, {"reduce", FeatureReduce, "write with reduce"}, {"remote_registers", FeatureRemoteRegisters, ""},
				{"read", FeatureRead, ""}, {"send", FeatureSend, ""}, {"atomic", FeatureAtomic, ""}, {"ordered", FeatureOrdered, "messages land in posting order"},
				{"multipath", FeatureMultipath, "a connection may use several ports; without it the host gives it one path"},
				{"shared", FeatureShared, "nothing is kept but the state of connections, so that an instance may serve several devices"},
			}},
			{"max", "Limits.", []Const{{"paths", MaxPaths, ""}, {"ext", MaxExt, "bytes"}}},
		},
	}
}
