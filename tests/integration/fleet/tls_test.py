"""Mutual TLS: a fleet with the certificates of `duets certs` gives the digests of a simulation; a caller
with no certificate, one of another authority, an expired one or that of another agent is refused with the reason."""

import os
import socket
import ssl
import time

import certificates
import fleet


class Secured:
    """A coordinator with certificates, in a directory that has an authority for it."""

    def __init__(self, scratch, agents=3):
        self.scratch = scratch
        self.all = certificates.authority(scratch, "authority")
        self.study = fleet.study(scratch / "secured.toml", "box", agents=agents)
        self.secret = fleet.new_secret(scratch / "secret.key")
        self.server = fleet.Server(scratch, self.study, self.secret)
        self.certs = certificates.handed_out(scratch, "server-certs", self.all, "coordinator")
        self.server.start("--certs", self.certs, insecure=False)
        assert self.server.listening(), self.server.tail()

    def agent(self, number, certs, *extra, insecure=False, server=None):
        agent = fleet.Agent(self.scratch, server or self.server, number)
        agent.name = f"agent-{certs.name}"
        agent.journal = self.scratch / f"journal-{agent.name}"
        return agent.start(*([] if insecure else ["--certs", certs]), *extra, insecure=insecure)


def refused(what, agent, code, *texts):
    begun = time.monotonic()
    fleet.same(f"{what}: exit code", agent.wait(), code)
    print(f"   {time.monotonic() - begun:.1f} s")
    for text in texts:
        fleet.contains(f"{what}: says why", agent.err(), text)


def shakes_hands(address, certs, identity):
    """Whether the coordinator talks to a client that shows this certificate, whatever the client
    thinks of it. A refusal comes after the client's side of the handshake."""
    host, port = address.rsplit(":", 1)
    context = ssl.create_default_context(cafile=certs / "ca.crt")
    context.set_alpn_protocols(["h2"])
    if identity:
        context.load_cert_chain(certs / f"{identity}.crt", certs / f"{identity}.key")
    try:
        with socket.create_connection((host, int(port)), timeout=20) as plain:
            with context.wrap_socket(plain, server_hostname=host) as secured:
                return len(secured.recv(100)) > 0
    except (ssl.SSLError, ConnectionError):
        return False


def a_fleet(scratch):
    f = Secured(scratch)
    own = [certificates.handed_out(scratch, f"own-{i}", f.all, f"agent-{i}") for i in range(3)]
    agents = [f.agent(i, own[i]) for i in range(2)]
    # The certificate says which agent it is.
    unnamed = fleet.Agent(scratch, f.server, 2)
    agents.append(unnamed.start("--certs", own[2], insecure=False, numbered=False))
    operator = certificates.handed_out(scratch, "operator", f.all, "operator")
    status = fleet.duets(scratch, "status", "--server", f.server.address, "--certs", operator)
    fleet.same("an operator's status", status.returncode, 0)
    for agent in agents:
        fleet.check(f"{agent.name} ends well", agent.wait() == 0, agent.tail())
    fleet.same("over TLS: digests", fleet.digests(f.server.stop()),
               fleet.reference(scratch, f.study, f.secret))
    keys = [p for p in scratch.rglob("*") if p.is_file() and p.suffix != ".key" and
            b"PRIVATE KEY" in p.read_bytes()]
    fleet.same("no private key outside its file", keys, [])


def refused_by_the_coordinator(scratch):
    """What the coordinator itself does, whatever a client believes."""
    f = Secured(scratch)
    foreign = certificates.authority(scratch, "foreign")
    stranger = certificates.handed_out(scratch, "stranger", foreign, "agent-0", ca=f.all)
    late = certificates.handed_out(scratch, "late", f.all, "agent-0")
    fleet.check("a good certificate is taken", shakes_hands(f.server.address, late, "agent-0"))
    certificates.expire(late / "agent-0.crt", f.all / "ca.key")
    for what, directory, identity in (("none", late, None), ("another authority's", stranger,
                                                             "agent-0"),
                                      ("an expired one", late, "agent-0")):
        fleet.check(f"the coordinator refuses a certificate: {what}",
                    not shakes_hands(f.server.address, directory, identity), "it talks to it")
    try:
        shakes = shakes_hands(f.server.address, f.all, "coordinator")
    except OSError:
        shakes = False
    fleet.check("the coordinator's own certificate is none for a client", not shakes)

    refused("expired", f.agent(0, late), 4, "expired", "duets certs")
    refused("another authority's certificate", f.agent(0, stranger), 4, "would be refused",
            "duets certs")
    alien = certificates.handed_out(scratch, "alien", foreign, "agent-0")
    refused("another authority on both", f.agent(0, alien), 4, "no secure connection", "ca.crt")
    plain = fleet.Agent(scratch, f.server, 0).start("--give-up", 2)
    refused("no certificate", plain, 4, "leave out --insecure")
    renamed = certificates.handed_out(scratch, "renamed", f.all, "agent-1", seen_as="agent-2")
    refused("another agent's name", f.agent(2, renamed), 4, 'certificate of "agent-1"',
            "does not cover agent 2")
    posing = certificates.handed_out(scratch, "posing", f.all, "agent-1", seen_as="operator")
    for words in (["status"], ["best"], ["study", "list"], ["study", "stop", "secured"],
                  ["study", "delete", "secured", "--yes"],
                  ["study", "close", "secured", "--epoch", 1], ["study", "create", f.study],
                  ["study", "export", "secured"]):
        result = fleet.duets(scratch, *words, "--server", f.server.address, "--certs", posing)
        fleet.same(f"an agent is no operator: {' '.join(map(str, words[:2]))}",
                   (result.returncode, '"agent-1" is not an operator' in result.stderr), (4, True))
    made = fleet.duets(scratch, "certs", "agent", "0", "--study", "other", "--dir", f.all, "-q")
    fleet.same("a certificate for one study", made.returncode, 0)
    other = certificates.handed_out(scratch, "other", f.all, "other_agent-0", seen_as="agent-0")
    refused("a certificate of another study", f.agent(0, other), 4, "does not cover agent 0")
    fleet.same("the coordinator is as it was", f.server.alive(), True)


def refused_at_home(scratch):
    """What is wrong with files is said by the side that has them."""
    f = Secured(scratch)
    own = certificates.handed_out(scratch, "own", f.all, "agent-1")
    refused("no certificate of this agent here", f.agent(2, own), 2, "no certificate of agent 2")
    empty = scratch / "empty"
    empty.mkdir()
    refused("no certificates at all", f.agent(2, empty), 2, "duets certs agent 2")
    os.chmod(own / "agent-1.key", 0o644)
    refused("a key that others may read", f.agent(1, own), 2, "agent-1.key")
    mixed = certificates.handed_out(scratch, "mixed", f.all, "agent-1")
    (mixed / "agent-1.key").write_bytes((f.all / "agent-0.key").read_bytes())
    refused("a key of another certificate", f.agent(1, mixed), 2, "do not match")

    second = fleet.Server(scratch, f.study, f.secret, name="second")
    second.start(insecure=False)
    fleet.same("a coordinator without certificates", second.code, 2)
    fleet.contains("it says how to make them", second.err(), "duets certs")
    os.chmod(f.certs / "coordinator.key", 0o640)
    second.start("--certs", f.certs, insecure=False)
    fleet.same("a coordinator's key that others may read", second.code, 2)
    fleet.contains("it names the file", second.err(), "coordinator.key")


def the_wrong_coordinator(scratch):
    """Agents do not talk to a coordinator that cannot show who it is."""
    f = Secured(scratch)
    own = certificates.handed_out(scratch, "own", f.all, "agent-0")
    plain = fleet.Server(scratch, f.study, f.secret, name="plain").start()
    refused("a coordinator without TLS", f.agent(0, own, server=plain), 4, "--insecure")
    elsewhere = scratch / "elsewhere"
    for words in (["init"], ["server", "--host", "tuner.example"], ["agent", "0"]):
        fleet.duets(scratch, "certs", *words, "--dir", elsewhere, "-q")
    named = fleet.Server(scratch, f.study, f.secret, name="named")
    named.start("--certs", elsewhere, insecure=False)
    refused("a coordinator of another name", f.agent(0, elsewhere, server=named), 4,
            "is not valid for the host")
    late = certificates.handed_out(scratch, "late", f.all, "coordinator")
    certificates.expire(late / "coordinator.crt", f.all / "ca.key")
    expired = fleet.Server(scratch, f.study, f.secret, name="expired")
    expired.start("--certs", late, insecure=False)
    if expired.alive():
        again = certificates.handed_out(scratch, "again", f.all, "agent-0")
        refused("a coordinator whose certificate has expired", f.agent(0, again, server=expired), 4,
                "expired")
    else:
        fleet.contains("an expired coordinator does not start", expired.err(), "expired")


fleet.main(a_fleet, refused_by_the_coordinator, refused_at_home, the_wrong_coordinator)
