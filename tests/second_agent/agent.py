"""Agents of a study: docs/formats/agent.md, from joining to the last closing message.

    python3 agent.py SERVER FIRST LAST      # with the stubs of duets.proto in the search path

All agents of a process run in one thread, one after the other, and share what follows from broadcasts.
"""

import math
import os
import time

import grpc
import numpy as np

import bits
import coins
import messages
import region
import study as studies
from fingerprint import fingerprint

PROTOCOL_VERSION = 4
PUBLIC_STREAM = 200
LIMIT = 2.0**128


class Ended(Exception):
    """The agent ends: the text says why."""


# --- Calls ----------------------------------------------------------------------------------------


class Calls:
    """The calls of the service Agents, made without generated code of gRPC."""

    def __init__(self, address, stubs, certificates=None):
        """`certificates`: a directory and the name of the agents, for example agent-2."""
        self.pb = stubs
        options = [(f"grpc.max_{way}_message_length", 64 << 20) for way in ("send", "receive")]
        if certificates is None:
            self.channel = grpc.insecure_channel(address, options)
        else:
            folder, name = certificates
            ca, key, own = ((folder / file).read_bytes() for file in ("ca.crt", f"{name}.key", f"{name}.crt"))
            self.channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(ca, key, own), options)
        self._calls = {name: self.channel.unary_unary(
            f"/duets.v1.Agents/{name}",
            request_serializer=getattr(stubs, name + "Request").SerializeToString,
            response_deserializer=getattr(stubs, name + "Reply").FromString)
            for name in ("Join", "Fetch", "Send", "Beat", "Leave")}

    def __call__(self, name, request, timeout=60):
        wait = 0.1
        while True:
            try:
                return self._calls[name](request, timeout=timeout)
            except grpc.RpcError as error:
                again = (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)
                if error.code() not in again:
                    raise
            time.sleep(wait)
            wait = min(2 * wait, 10)


# --- What follows from broadcasts -----------------------------------------------------------------


class Epoch:
    def __init__(self, number):
        self.number = number
        self.region = self.sampler = self.model = self.offset = self.strata = None
        self.inducing_set = self.trim = None
        self.latents = self.inducing = self.exponent = None
        self.stream = {}  # slot: point of the public stream


class History:
    """Regions, samplers, models, strata and inducing sets of all epochs, from the broadcasts."""

    def __init__(self, study, public_key):
        self.study, self.public_key = study, public_key
        self.broadcasts = []
        self.chain = [0]  # known_digest after so many broadcasts
        first = Epoch(1)
        first.region = region.Region(study.domain)
        first.sampler = region.first_sampler(first.region)
        first.model, first.offset = study.kernel, 0.0
        self.epochs = [None, first]
        self.rewards_exponent = None
        self._strata(first)

    def epoch(self, j):
        return self.epochs[j] if j < len(self.epochs) else None

    def expected(self):
        """(kind, epoch) of the next broadcast."""
        last = self.epochs[-1]
        if last.inducing_set is None and self.study.sends_values(last.number):
            return messages.INDUCING_SET, last.number
        return messages.TRIM, last.number

    def add(self, encoded):
        encoded = bytes(encoded)
        m = messages.decode(encoded)
        if (m.kind, m.epoch) != self.expected():
            raise Ended(f"broadcast {len(self.broadcasts)}: type {m.kind} of epoch {m.epoch} "
                        f"instead of {self.expected()}")
        if m.kind == messages.INDUCING_SET:
            self._inducing_set(m)
        else:
            self._trim(m)
        self.broadcasts.append(encoded)
        self.chain.append(coins.low_half(studies.u64(self.chain[-1]) + studies.blob(encoded)))

    def public_stream(self, e, slots):
        new = [s for s in slots if s not in e.stream]
        if new:
            lane = (self.public_key, coins.PUBLIC_POINT, coins.PUBLIC_WALK, e.number)
            e.stream.update(zip(new, e.sampler.draw(lane, new)))
        return np.array([e.stream[s] for s in slots]).reshape(len(slots), self.study.domain.d)

    def public_candidates(self, e, slots):
        """Latents of the public candidates of epoch e at these slots."""
        slots = list(slots)
        drawn = self.public_stream(e, [s for s in slots if s < PUBLIC_STREAM])
        if len(drawn) == len(slots):
            return drawn
        assert self.study.recalls(e.number)
        earlier = []
        for old in self.epochs[1:e.number]:
            if old.latents is not None:
                earlier += list(old.latents)
            if old.trim is not None and old.trim.cuts and old.trim.public_slots:
                earlier += list(self.public_candidates(old, old.trim.public_slots))
        rest = [earlier[s - PUBLIC_STREAM] for s in slots if s >= PUBLIC_STREAM]
        return np.array(list(drawn) + rest)

    def _inducing_set(self, m):
        e = self.epochs[m.epoch]
        assert m.closing == self.study.is_closing(m.epoch)
        e.inducing_set = m
        if m.points:
            e.latents = np.array(m.points)
        else:
            e.latents = self.public_candidates(e, m.public_slots)
        e.inducing = self.study.domain.features(e.latents)
        e.exponent = m.exponent
        if m.rewards:
            if m.exponent is None:
                e.exponent = self.rewards_exponent
            else:
                self.rewards_exponent = m.exponent

    def _trim(self, m):
        e = self.epochs[m.epoch]
        assert m.cuts != self.study.is_closing(m.epoch)
        e.trim = m
        new = Epoch(m.epoch + 1)
        if m.cuts:
            new.model, new.offset = m.model if m.model is not None else (e.model, e.offset)
            if m.public_slots:
                centers = self.study.domain.features(self.public_candidates(e, m.public_slots))
            else:
                centers = e.inducing
            new.region = e.region.cut(region.Cut(new.model, centers, m.weights, m.tau))
            starts = self._starts(m, e, new.region) if m.sampler.method == messages.WALK else None
            new.sampler = region.Sampler(m.sampler, new.region, starts)
        else:
            new.region, new.model, new.offset, new.sampler = e.region, e.model, e.offset, e.sampler
        self.epochs.append(new)
        self._strata(new)

    def _starts(self, m, e, new):
        domain = self.study.domain
        if m.starts:
            starts = np.array(m.starts)
            inside = new.contains(starts)
            if domain.shape == studies.BALL:
                inside &= domain.in_ball(starts)
            if not inside.all():
                raise Ended("a start outside the region")
            return starts
        found, begin = [], 0
        while begin < m.sampler.stream_cap and len(found) < m.sampler.num_starts:
            count = min(256, m.sampler.stream_cap - begin)
            points = self.public_stream(e, range(begin, begin + count))
            found += list(points[new.contains(points)])
            begin += count
        if not found:
            raise Ended("no start for walks")
        return np.array(found[:m.sampler.num_starts])

    def _strata(self, e):
        if self.study.stratified and self.study.length(e.number) > 0:
            e.strata = region.make_strata(e.sampler, self.public_key, e.number, self.study.N,
                                          self.study.length(e.number), e.model)


# --- One agent ------------------------------------------------------------------------------------


class Agent:
    """`measure(agent, epoch, points, features)` gives a value or None for each slot. `histories` is shared
    by the agents of a process. `journal` has what an agent stores for a restart; an empty one is filled."""

    def __init__(self, calls, number, measure, histories, journal=None):
        self.calls, self.pb, self.measure = calls, calls.pb, measure
        self.journal = {} if journal is None else journal
        # 1. Join, and compare the study digest.
        if "start" not in histories:
            histories["start"] = os.urandom(16)
            histories["fingerprint"] = fingerprint(int.from_bytes(histories["start"][:8], "little"))
        start, digest = histories["start"], histories["fingerprint"]
        request = self.pb.JoinRequest(protocol_version=PROTOCOL_VERSION, agent=number, start=start,
                                      instance=self.journal.setdefault("instance", os.urandom(16)),
                                      host="second_agent", software="second_agent")
        request.numeric_fingerprint.low = int.from_bytes(digest[:8], "little")
        request.numeric_fingerprint.high = int.from_bytes(digest[8:], "little")
        if "study_digest" in self.journal:
            request.has_journal = True
            request.study_digest.CopyFrom(self.journal["study_digest"])
            request.known_broadcasts = self.journal["known"]
        reply = calls("Join", request)
        self.number, self.key = reply.agent, reply.coin
        if "study" not in histories:
            histories["study"] = studies.Study(reply.definition.study_file)
            histories["history"] = History(histories["study"], reply.public_coin)
        self.study, self.history = histories["study"], histories["history"]
        own = self.study.digest()
        if (reply.study_digest.low, reply.study_digest.high) != (
                int.from_bytes(own[:8], "little"), int.from_bytes(own[8:], "little")):
            raise Ended(f"study digest {own.hex()} is not the coordinator's")
        for what, own in self.study.epochs().items():
            theirs = list(getattr(reply.epochs, what))
            if own != theirs:
                raise Ended(f"epochs.{what}: {own} follow from the study file, the coordinator has {theirs}")
        self.journal["study_digest"] = reply.study_digest
        self.caller = self.pb.Caller(study=self.study.name, agent=self.number, token=reply.token)
        self.lease, self.beaten = reply.lease_seconds, time.monotonic()
        self.known, self.epoch = 0, 1
        self.points = {}    # epoch: latents
        self.rewards = {}   # epoch: a reward or None for each slot
        self.counts = {}    # epoch: the agent took part with its own message
        self.state, self.sent, self.done = self.pb.STUDY_STATE_RUNNING, False, False
        self.refusals = []
        while self.known < reply.num_broadcasts:
            self.fetch(0)

    # --- Broadcasts ---

    def fetch(self, wait):
        request = self.pb.FetchRequest(caller=self.caller, known=self.known,
                                       known_digest=self.history.chain[self.known], wait_seconds=wait)
        reply = self.calls("Fetch", request)
        for message in reply.broadcasts:
            if self.known < len(self.history.broadcasts):
                assert self.history.broadcasts[self.known] == message.encoded
            else:
                self.history.add(message.encoded)
            self.known += 1
        self.journal["known"] = self.known
        self.state = reply.state
        return reply

    def has_inducing_set(self, j):
        return self._knows(messages.INDUCING_SET, j)

    def has_trim(self, j):
        return self._knows(messages.TRIM, j)

    def _knows(self, kind, j):
        # A process shares one history; the agent itself has fetched `known` of its broadcasts.
        at = 0
        for e in self.history.epochs[1:]:
            for of, m in ((messages.INDUCING_SET, e.inducing_set), (messages.TRIM, e.trim)):
                if m is not None:
                    at += 1
                    if (of, e.number) == (kind, j):
                        return at <= self.known
        return False

    # --- An epoch ---

    def draw(self, j):
        e, T = self.history.epoch(j), self.study.length(j)
        if T == 0:
            points = np.zeros((0, self.study.domain.d))
        elif e.strata is not None:
            points = e.strata.draw(self.key, self.history.public_key, j, self.study.N, self.number, np.arange(T))
        else:
            points = e.sampler.draw((self.key, coins.POINT, coins.WALK, j), np.arange(T))
        self.points[j] = points

    def query(self, j):
        points = self.points[j]
        if (j, "rewards") in self.journal:
            self.rewards[j], self.counts[j] = self.journal[j, "rewards"], True
            if studies.points_bytes(points) != self.journal[j, "points"]:
                raise Ended("answers of another run")
            return
        if self.has_trim(j):  # over before the agent was back
            self.rewards[j], self.counts[j] = [None] * len(points), False
            return
        values = self.measure(self, j, points, self.study.domain.features(points)) if len(points) else []
        self.rewards[j] = [self.reward(v) for v in values]
        self.counts[j] = True
        self.journal[j, "rewards"], self.journal[j, "points"] = self.rewards[j], studies.points_bytes(points)

    def reward(self, value):
        if value is None:
            return None
        reward = (self.study.sign * value - self.study.offset) / self.study.scale
        return reward if abs(reward) < LIMIT else None

    def rows(self, j):
        """(features, rewards) of the rows of a projection."""
        study, now = self.study, self.history.epoch(j).region
        points, rewards = [], []
        for i in sorted(self.points):
            if i != j and not (self.counts[i] and (study.recalls(j) or study.surviving)):
                continue
            have = [t for t, r in enumerate(self.rewards[i]) if r is not None]
            if i != j and not study.recalls(j) and have:
                inside = now.contains(self.points[i][have])
                have = [t for t, good in zip(have, inside) if good]
            points += [self.points[i][t] for t in have]
            rewards += [self.rewards[i][t] for t in have]
        return study.domain.features(np.array(points).reshape(len(points), study.domain.d)), rewards

    def projection(self, j):
        e = self.history.epoch(j)
        features, rewards = self.rows(j)
        root = math.sqrt(e.model.variance)
        weights = []
        for reward in rewards:
            r = reward - e.offset
            if self.study.learned:
                if r > 8192.0 * root:
                    r = 0.0
                elif r < -(12.0 * root):
                    r = -(12.0 * root)
            weights.append(r)
        return e.model.weighted_sums(e.inducing, features, weights).tolist()

    def best(self, j):
        best = None
        for i in sorted(self.points):
            if i > j or not self.counts[i]:
                continue
            for slot, reward in enumerate(self.rewards[i]):
                if reward is not None and (best is None or reward > best[0]):
                    best = (reward, i, slot)
        return best

    def message(self, j):
        return self.prepared(j)[1]

    def prepared(self, j):
        """The message of epoch j: its fields and its bytes."""
        study, e = self.study, self.history.epoch(j)
        rewards = self.rewards[j]
        m = messages.record(short=study.short, agent=self.number, epoch=j, rewards=False, values=[], grid=None,
                            holes=[t for t, r in enumerate(rewards) if r is None],
                            points_digest=coins.low_half(studies.points_bytes(self.points[j])))
        if study.sends_values(j):
            m.rewards = bool(e.inducing_set.rewards)
            m.values = [r for r in rewards if r is not None] if m.rewards else self.projection(j)
            if study.short:
                m.values, m.grid = rounded(m.values, m.rewards, e.exponent, self.key, j)
        if not study.is_closing(j):
            return m, messages.encode_upload(m)
        m.best = self.best(j)
        return m, messages.encode_closing(m)

    def send(self, j, encoded):
        reply = self.calls("Send", self.pb.SendRequest(caller=self.caller, message=self.pb.Message(encoded=encoded)))
        for answer in reply.answers:
            m = messages.decode(answer.encoded)
            if m.kind == messages.REFUSAL:
                reason = messages.REASONS[m.reason]
                self.refusals.append((j, reason))
                if reason not in ("stale", "conflict"):
                    raise Ended(f"agent {self.number}, epoch {j}: {reason}")
                self.counts[j] = False

    def beat(self):
        if time.monotonic() - self.beaten > self.lease / 4:
            self.beaten = time.monotonic()
            progress = self.pb.Progress(agent=self.number, token=self.caller.token, epoch=self.epoch)
            self.calls("Beat", self.pb.BeatRequest(study=self.study.name, progress=[progress]))

    def work(self):
        """Draws, queries and sends the open epoch, if its inducing set is there."""
        j = self.epoch
        self.beat()
        if j not in self.points:
            self.draw(j)
            self.query(j)
        if self.sent or self.has_trim(j):
            return
        if self.study.sends_values(j) and not self.has_inducing_set(j):
            self.fetch(2)
        if not self.has_trim(j) and (not self.study.sends_values(j) or self.has_inducing_set(j)):
            self.send(j, self.message(j))
            self.sent = True
            self.done = j == self.study.J

    def follow(self):
        """Fetches the trim of the open epoch; waits for it at most a moment."""
        j = self.epoch
        if not self.has_trim(j):
            self.fetch(0.5 if self.sent else 0)
            if self.state == self.pb.STUDY_STATE_FINISHED and not self.has_trim(j):
                self.done = True
            elif self.state in (self.pb.STUDY_STATE_STOPPED, self.pb.STUDY_STATE_FAILED):
                raise Ended("the study has stopped")
        if self.has_trim(j):
            if self.number in self.history.epoch(j).trim.excluded:
                self.counts[j] = False
            self.epoch, self.sent = j + 1, False

    def leave(self):
        self.calls("Leave", self.pb.LeaveRequest(caller=self.caller))


# --- Rounding -------------------------------------------------------------------------------------


def sixteen_bits(x):
    """The nearest number with 16 significant bits, ties to even."""
    if x == 0.0:
        return 0.0
    fraction, e = math.frexp(x)
    return math.ldexp(float(round(fraction * 65536.0)), e - 16)


def rounded(values, rewards, exponent, key, epoch):
    """The values as they are sent, and their grid."""
    if not values:
        return [], None
    ordered = sorted(values)
    median = ordered[len(ordered) // 2]
    if rewards and exponent is None and len(values) >= 4:
        distances = sorted(abs(v - median) for v in values)
        m = distances[len(distances) // 2]
        if m == 0.0:
            m = next((d for d in distances if d > 0.0), 0.0)
        if m > 0.0:
            exponent = math.frexp(m)[1] - 1 - 4
    if exponent is None or abs(exponent) > 960:
        return [sixteen_bits(v) for v in values], None
    base = round(math.ldexp(median, -exponent)) if rewards else 0
    if abs(base) > 1 << 52:
        return [sixteen_bits(v) for v in values], None
    u = coins.uniforms(coins.words(key, coins.ROUNDING, epoch, np.arange(len(values)), 0, 1))[:, 0]
    out = []
    for v, uniform in zip(values, u.tolist()):
        y = math.ldexp(v, -exponent)
        if abs(y - base) >= 2.0**40 - 1.0:
            out.append(sixteen_bits(v))
        else:
            below = math.floor(y)
            out.append(math.ldexp(below + (1 if uniform < y - below else 0), exponent))
    return out, (exponent, base)


# --- A built-in function's noise, and a whole process ---------------------------------------------


def noise(study, agent, j, slots):
    level = float(study.objective["noise"])
    key = coins.problem_key(coins.secret_of_seed(study.seed))
    t = sum(study.T[:j - 1]) + np.arange(slots)
    if study.objective["noise_kind"] == "gaussian":
        return level * coins.normals(coins.words(key, coins.NOISE, 0, t, 0, 2, agent), 1)[:, 0]
    return level * (2.0 * coins.uniforms(coins.words(key, coins.NOISE, 0, t, 0, 1, agent))[:, 0] - 1.0)


def until_done(agents):
    while not all(a.done for a in agents):
        for step in (Agent.work, Agent.follow):
            for a in agents:
                if not a.done:
                    step(a)
    for a in agents:
        a.leave()


def run(address, stubs, numbers, measure):
    """Takes part with these agents until the study is over."""
    calls, shared = Calls(address, stubs), {}
    until_done([Agent(calls, n, measure, shared) for n in numbers])
    calls.channel.close()
