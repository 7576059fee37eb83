"""Networks for tests: a coordinator and agents on machines of their own, with links that can be cut.

A machine is a network namespace that lives as long as a process of this script; nothing is left behind.
Each agent has a link of its own to the coordinator. Where the machine does not allow namespaces, a relay
in this process stands between them (Relays); both have the same functions.
"""

import os
import selectors
import socket
import subprocess
import threading

import fleet

WAYS = ("silent", "down")  # packets vanish without a word, or the link is down and the system knows


def network(scratch, agents):
    """Namespaces, or relays with a line that says why."""
    why = "DUETS_TEST_RELAYS is set" if os.environ.get("DUETS_TEST_RELAYS") else ""
    if not why:
        try:
            return Namespaces(scratch, agents)
        except (OSError, subprocess.SubprocessError) as error:
            why = str(error)
    print(f"could not run: network namespaces ({why}); relays instead", flush=True)
    return Relays(agents)


def _run(*arguments):
    result = subprocess.run(arguments, capture_output=True, text=True, timeout=60)
    if result.returncode != 0:
        raise OSError(f"{' '.join(arguments)}: {result.stderr.strip()}")


class Machine:
    """A network namespace, held by a process that sleeps."""

    def __init__(self, scratch, name):
        self.holder = fleet.Process(scratch, f"machine-{name}").launch(
            ["unshare", "-n", "sh", "-c", "echo ready; exec sleep 100000"])
        fleet.wait(f"machine {name}", lambda: "ready" in self.holder.out() or
                   not self.holder.alive())
        if not self.holder.alive():
            raise OSError(self.holder.err().strip())
        self.run("ip", "link", "set", "lo", "up")

    @property
    def before(self):
        """Arguments before a command that runs on this machine."""
        return ("nsenter", f"--net=/proc/{self.holder.pid}/ns/net")

    def run(self, *arguments):
        _run(*self.before, *arguments)


class Namespaces:
    NOBODY = "02:00:00:00:00:99"

    def __init__(self, scratch, agents):
        self.server = Machine(scratch, "server")
        self.agents = [Machine(scratch, str(i)) for i in range(agents)]
        for i, machine in enumerate(self.agents):
            self.server.run("ip", "link", "add", f"v{i}", "type", "veth", "peer", "name", "v",
                            "netns", str(machine.holder.pid))
            self.server.run("ip", "address", "add", f"10.77.{i}.1/24", "dev", f"v{i}")
            self.server.run("ip", "link", "set", f"v{i}", "up")
            machine.run("ip", "address", "add", f"10.77.{i}.2/24", "dev", "v")
            machine.run("ip", "link", "set", "v", "up")

    listen = "0.0.0.0:0"

    def before_server(self):
        return self.server.before

    def before_agent(self, agent):
        return self.agents[agent].before

    def address(self, agent, server_address):
        """Where the agent finds the coordinator."""
        return f"10.77.{agent}.1:{server_address.rsplit(':', 1)[1]}"

    def cut(self, agent, way):
        if way == "down":
            self.server.run("ip", "link", "set", f"v{agent}", "down")
            return
        # Each side sends to a card that nobody has: the packets vanish on the wire.
        for machine, device, peer in self._ends(agent):
            machine.run("ip", "neigh", "replace", peer, "lladdr", self.NOBODY, "dev", device,
                        "nud", "permanent")

    def heal(self, agent):
        self.server.run("ip", "link", "set", f"v{agent}", "up")
        for machine, device, peer in self._ends(agent):
            subprocess.run([*machine.before, "ip", "neigh", "del", peer, "dev", device],
                           capture_output=True, timeout=60)

    def _ends(self, agent):
        return ((self.server, f"v{agent}", f"10.77.{agent}.2"),
                (self.agents[agent], "v", f"10.77.{agent}.1"))


class Relays:
    """One relay an agent: it passes bytes on, holds them back (silent) or refuses (down)."""

    listen = "127.0.0.1:0"

    def __init__(self, agents):
        self.relays = [Relay() for _ in range(agents)]

    def before_server(self):
        return ()

    def before_agent(self, _agent):
        return ()

    def address(self, agent, server_address):
        host, port = server_address.rsplit(":", 1)
        self.relays[agent].target = (host, int(port))
        return self.relays[agent].address

    def cut(self, agent, way):
        self.relays[agent].mode = way

    def heal(self, agent):
        self.relays[agent].mode = "pass"


class Relay(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)
        self.target, self.mode, self.pairs = None, "pass", {}
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.start()

    def run(self):
        while True:
            with selectors.DefaultSelector() as ready:
                if self.mode != "silent":
                    for end in [self.listener, *self.pairs]:
                        ready.register(end, selectors.EVENT_READ)
                for key, _ in ready.select(0.05):
                    self.serve(key.fileobj)
            if self.mode == "down":
                for end in list(self.pairs):
                    self.drop(end)

    def serve(self, end):
        if end is self.listener:
            near, _ = end.accept()
            if self.mode == "down":
                near.close()
                return
            try:
                far = socket.create_connection(self.target, timeout=5)
            except OSError:
                near.close()
                return
            self.pairs.update({near: far, far: near})
        elif end in self.pairs:
            try:
                data = end.recv(1 << 16)
                if data:
                    self.pairs[end].sendall(data)
                    return
            except OSError:
                pass
            self.drop(end)

    def drop(self, end):
        other = self.pairs.pop(end, None)
        if other is not None:
            self.pairs.pop(other, None)
            other.close()
        end.close()
