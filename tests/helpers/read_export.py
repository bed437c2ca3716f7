#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""An independent reader of what export writes: read_export.py pprof|perfetto FILE

Holds the file to the rules its format has, and prints what is in it as JSON. It shares nothing
with the program: field numbers stand here again, as the formats' own documents give them.
"""

import gzip
import json
import struct
import sys


def need(ok, *why):
    if not ok:
        sys.exit(" ".join(str(w) for w in why))


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            need(value < 1 << 64, "varint too long at", at)
            return value, at


def fields(data):
    """(number, value) of a message: int for varint and fixed64, bytes for the rest."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        elif wire == 2:
            size, at = varint(data, at)
            need(at + size <= len(data), "field", number, "reaches over its message")
            value, at = data[at : at + size], at + size
        else:
            sys.exit(f"wire type {wire} in field {number}")
        yield number, value


def message(data, names):
    """A message as lists by name; a field that is not in names is an error."""
    out = {name: [] for name in names.values()}
    for number, value in fields(data):
        need(number in names, "unknown field", number)
        out[names[number]].append(value)
    return out


def one(values, default=0):
    need(len(values) <= 1, "a field twice")
    return values[0] if values else default


def numbers(values):
    """Repeated numbers, packed or not."""
    out = []
    for value in values:
        if isinstance(value, int):
            out.append(value)
            continue
        at = 0
        while at < len(value):
            number, at = varint(value, at)
            out.append(number)
    return out


def signed(value):
    return value - (1 << 64) if value >> 63 else value


# ---- pprof ----

PROFILE = {1: "types", 2: "samples", 3: "mappings", 4: "locations", 5: "functions", 6: "strings",
           9: "time", 10: "duration", 11: "period_type", 12: "period", 13: "comments",
           14: "default"}
MAPPING = {1: "id", 2: "start", 3: "limit", 5: "file", 6: "build_id", 7: "has_functions",
           8: "has_files", 9: "has_lines", 10: "has_inlined"}


def by_id(raw, names):
    out = {}
    for data in raw:
        m = message(data, names)
        number = one(m["id"])
        need(number and number not in out, "id", number, "is nothing or there twice")
        out[number] = m
    return out


def places(p, strings):
    mappings = by_id(p["mappings"], MAPPING)
    functions = by_id(p["functions"], {1: "id", 2: "name", 4: "file"})
    locations = by_id(p["locations"], {1: "id", 2: "mapping", 3: "address", 4: "lines"})
    seen, names = set(), {}
    for m in mappings.values():
        need(one(m["has_functions"]) == 1, "a mapping whose functions would be looked up")
        need(strings[one(m["file"])], "a mapping without a name")
    for number, place in locations.items():
        m = mappings[one(place["mapping"])]
        address = one(place["address"])
        need(one(m["start"]) <= address < one(m["limit"]), "an address outside its mapping")
        need(address not in seen, "two locations at", address)
        seen.add(address)
        line = message(one(place["lines"]), {1: "function", 2: "line"})
        name = strings[one(functions[one(line["function"])]["name"])]
        need(name, "a function without a name")
        names[number] = name
    return names, sorted(strings[one(m["file"])] for m in mappings.values())


def read_pprof(path):
    with gzip.open(path) as f:
        p = message(f.read(), PROFILE)
    strings = [s.decode("utf-8", "strict") for s in p["strings"]]
    need(strings[0] == "", "string 0 is not empty")
    need(len(set(strings)) == len(strings), "a string twice")

    def value_type(data):
        m = message(data, {1: "type", 2: "unit"})
        return [strings[one(m["type"])], strings[one(m["unit"])]]

    types = [value_type(data) for data in p["types"]]
    names, modules = places(p, strings)
    samples = []
    for data in p["samples"]:
        m = message(data, {1: "locations", 2: "values", 3: "labels"})
        values = [signed(v) for v in numbers(m["values"])]
        need(len(values) == len(types), "a sample with", len(values), "values")
        labels = {}
        for label in m["labels"]:
            label = message(label, {1: "key", 2: "text"})
            key = strings[one(label["key"])]
            need(key not in labels, "label", key, "twice")
            labels[key] = strings[one(label["text"])]
        stack = [names[i] for i in numbers(m["locations"])]
        need(stack, "a sample without a place")
        samples.append({"stack": stack, "values": values, "labels": labels})
    return {
        "types": types,
        "default": strings[one(p["default"])],
        "period": [*value_type(one(p["period_type"])), one(p["period"])],
        "time_ns": one(p["time"]),
        "duration_ns": one(p["duration"]),
        "comments": [strings[i] for i in numbers(p["comments"])],
        "modules": modules,
        "totals": {t[0]: sum(s["values"][i] for s in samples) for i, t in enumerate(types)},
        "samples": samples,
    }


# ---- Perfetto ----

PACKET = {6: "clocks", 8: "at", 10: "sequence", 11: "event", 12: "interned", 13: "flags",
          58: "clock", 59: "defaults", 60: "track"}
EVENT = {3: "categories", 4: "notes", 9: "type", 10: "name", 11: "track", 47: "flows",
         48: "ending_flows"}
TRACK = {1: "uuid", 2: "name", 3: "process", 4: "thread", 5: "parent"}
MONOTONIC = 3


def text(raw):
    return raw.decode("utf-8", "strict")


def interned(data):
    m = message(data, {1: "categories", 2: "events", 3: "notes"})
    out = {}
    for kind, entries in m.items():
        pairs = [message(e, {1: "iid", 2: "name"}) for e in entries]
        out[kind] = {one(e["iid"]): text(one(e["name"])) for e in pairs}
        need(0 not in out[kind] and len(out[kind]) == len(pairs), "iids of", kind)
    return out


def track(data):
    m = message(data, TRACK)
    out = {"uuid": one(m["uuid"]), "parent": one(m["parent"])}
    if m["name"]:
        out["name"] = text(one(m["name"]))
    if m["process"]:
        process = message(one(m["process"]), {1: "pid", 6: "name"})
        out["process"] = {"pid": one(process["pid"]), "name": text(one(process["name"], b""))}
    if m["thread"]:
        thread = message(one(m["thread"]), {1: "pid", 2: "tid", 5: "name"})
        out["thread"] = {"pid": one(thread["pid"]), "tid": one(thread["tid"]),
                         "name": text(one(thread["name"]))}
    return out


class Trace:
    def __init__(self):
        self.names = self.clock = None
        self.tracks, self.open, self.last, self.clocks, self.slices = {}, {}, {}, {}, []

    def notes(self, raw):
        out = {}
        for data in raw:
            m = message(data, {1: "name", 3: "number", 6: "text"})
            key = self.names["notes"][one(m["name"])]
            out[key] = text(one(m["text"])) if m["text"] else one(m["number"])
        return out

    def begin(self, e, at):
        stack = self.open.setdefault(one(e["track"]), [])
        need([self.names["categories"][i] for i in numbers(e["categories"])] == ["wakecost"],
             "category")
        piece = {"track": one(e["track"]), "name": self.names["events"][one(e["name"])],
                 "begin": at, "depth": len(stack), "in": stack[-1]["name"] if stack else None,
                 "flows": e["flows"], "ending_flows": e["ending_flows"],
                 "notes": self.notes(e["notes"])}
        stack.append(piece)
        self.slices.append(piece)

    def event(self, data, at):
        e = message(data, EVENT)
        number = one(e["track"])
        need(number in self.tracks, "an event of no track")
        # with this, and every end closing the innermost, slices nest
        need(at >= self.last.get(number, 0), "a track that goes back in time")
        self.last[number] = at
        if one(e["type"]) == 1:
            self.begin(e, at)
            return
        need(one(e["type"]) == 2 and self.open.get(number), "an end of nothing")
        self.open[number].pop()["end"] = at

    def packet(self, data):
        p = message(data, PACKET)
        need(one(p["sequence"]), "a packet of no sequence")
        if p["clocks"]:
            m = message(one(p["clocks"]), {1: "clocks", 2: "primary"})
            need(one(m["primary"]) == MONOTONIC, "primary clock")
            pairs = [message(c, {1: "id", 2: "at"}) for c in m["clocks"]]
            self.clocks = {one(c["id"]): one(c["at"]) for c in pairs}
        if p["interned"]:
            need(one(p["flags"]) == 1 and self.names is None, "names come once, first")
            self.names = interned(one(p["interned"]))
            self.clock = one(message(one(p["defaults"]), {58: "clock"})["clock"])
        if p["track"]:
            t = track(one(p["track"]))
            need(t["uuid"] and t["uuid"] not in self.tracks, "a track twice")
            need(not t["parent"] or t["parent"] in self.tracks, "a parent that is not there")
            self.tracks[t["uuid"]] = t
        if p["event"]:
            need(one(p["flags"]) == 2 and self.clock == MONOTONIC, "an event out of its state")
            self.event(one(p["event"]), one(p["at"]))


def check_flows(slices):
    begun = {f: s for s in slices for f in s["flows"]}
    ended = {f: s for s in slices for f in s["ending_flows"]}
    need(sum(len(s["flows"]) for s in slices) == len(begun), "a flow that forks")
    need(sum(len(s["ending_flows"]) for s in slices) == len(ended), "a flow that ends twice")
    need(begun.keys() == ended.keys(), "a flow with one end")
    for flow, s in begun.items():
        need(s["begin"] <= ended[flow]["begin"], "a flow that goes back in time")


def read_perfetto(path):
    t = Trace()
    with open(path, "rb") as f:
        for number, value in fields(f.read()):
            need(number == 1, "unknown field", number)
            t.packet(value)
    need(MONOTONIC in t.clocks, "no clock")
    need(not any(t.open.values()), "a slice without an end")
    check_flows(t.slices)
    return {"clocks": t.clocks, "tracks": list(t.tracks.values()), "slices": t.slices}


READERS = {"pprof": read_pprof, "perfetto": read_perfetto}
json.dump(READERS[sys.argv[1]](sys.argv[2]), sys.stdout)
print()
