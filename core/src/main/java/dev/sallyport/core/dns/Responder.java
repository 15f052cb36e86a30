package dev.sallyport.core.dns;

import dev.sallyport.core.config.DnsSection;
import dev.sallyport.core.meter.OutcomeTimer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the answer (docs/spec/decisions.md, sections 11 and 20): static records first, then what names with a meaning of
 * their own have, then the upstream resolver for passthrough names, otherwise the proxy's own address. Confined to the loop, except {@link #zone}.
 */
final class Responder {

    private static final Logger LOG = LoggerFactory.getLogger("dev.sallyport.dns");
    private static final int SHARE = 4;

    private final Forwarder forwarder;
    private final DnsCounters counters;
    private final OutcomeTimer answers;
    private final DnsReply reply = new DnsReply();
    private final SourceRateLimiter queries = new SourceRateLimiter(System::nanoTime);
    private final SourceRateLimiter passed = new SourceRateLimiter(System::nanoTime);
    private final SourceQuota forwarding = new SourceQuota(SHARE);
    private volatile Zone zone;
    private Query query;

    /** @param answers times the upstream resolver's answers */
    Responder(EventLoop loop, Zone zone, DnsCounters counters, OutcomeTimer answers) {
        this.forwarder = new Forwarder(loop);
        this.zone = zone;
        this.counters = counters;
        this.answers = answers;
        this.query = newQuery(zone);
    }

    /** Sets the zone for further queries. From any thread. */
    void zone(Zone next) {
        zone = next;
    }

    Zone zone() {
        return zone;
    }

    void close() {
        forwarder.close();
    }

    private static Query newQuery(Zone zone) {
        return new Query(Math.toIntExact(zone.limits().queryBytes().bytes()));
    }

    /** Handles one message; the caller keeps the buffer. */
    void take(ByteBuf message, QuerySource client) {
        Zone current = zone;
        counters.queries.increment();
        if (client.overTcp()) {
            counters.overTcp.increment();
        }
        if (!queries.tryAcquire(client.address(), current.limits().queriesPerSecond())) {
            limited(client, message);
            return;
        }
        if (query.capacity() != current.limits().queryBytes().bytes()) {
            query = newQuery(current);
        }
        switch (query.read(message)) {
            case QUESTION -> question(current, client);
            case NOTHING -> counters.ignored.increment();
            case MALFORMED -> malformed(client, DnsProtocol.FORMERR);
            case OTHER_OPCODE -> malformed(client, DnsProtocol.NOTIMP);
            case OTHER_EDNS -> malformed(client, DnsProtocol.BADVERS);
            case OTHER_CLASS -> refused(client, "its class is not IN");
        }
    }

    /** No answer over UDP, whose source may be forged and would be hit by the answer; over TCP the source is known. */
    private void limited(QuerySource client, ByteBuf message) {
        counters.limited.increment();
        LOG.debug("query from {} not answered: too many queries", client.address());
        if (client.overTcp() && query.read(message) == Query.Reading.QUESTION) {
            error(client, DnsProtocol.REFUSED);
        }
    }

    private void malformed(QuerySource client, int rcode) {
        counters.malformed.increment();
        error(client, rcode);
    }

    private void refused(QuerySource client, String why) {
        counters.refused.increment();
        if (LOG.isDebugEnabled()) {
            LOG.debug("query for {} (type {}) from {} refused: {}", name(), query.type(), client.address(), why);
        }
        error(client, DnsProtocol.REFUSED);
    }

    private String name() {
        return query.shownName();
    }

    private void error(QuerySource client, int rcode) {
        reply.begin(query, DnsProtocol.RA, rcode);
        send(client, query, zone, rcode);
    }

    private void question(Zone current, QuerySource client) {
        int type = query.type();
        if (type == DnsProtocol.AXFR || type == DnsProtocol.IXFR) {
            refused(client, "a zone transfer");
            return;
        }
        reply.begin(query, DnsProtocol.AA | DnsProtocol.RA, DnsProtocol.NOERROR);
        Tail tail = follow(current, query.name(), type);
        if (tail == null) {
            LOG.debug("query for {} not answered: its CNAMEs form a cycle or too long a chain (dns.records)", name());
            counters.failed.increment();
            error(client, DnsProtocol.SERVFAIL);
            return;
        }
        SpecialName special = tail.answered ? null : SpecialName.of(tail.name);
        if (special != null) {
            special.answer(reply, tail.owner, type);
        }
        if (tail.answered || special != null) {
            counters.fixed.increment();
        } else if (current.passes(tail.name)) {
            pass(current, client, tail);
            return;
        } else {
            counters.intercepted.increment();
            byte[] address = current.proxy(type);
            if (address == null) {
                reply.noData(tail.owner);
            } else {
                reply.address(tail.owner, address);
            }
        }
        send(client, query, current, reply.rcode());
    }

    /**
     * The end of a chain of aliases.
     *
     * @param owner the offset of the last name
     * @param wire the last name in wire form; null for the question's name
     * @param answered whether the static records answer completely
     */
    private record Tail(String name, int owner, byte @Nullable [] wire, boolean answered) {}

    /**
     * Returns null when the aliases form a cycle: the configuration is checked for that, but this loop must never hang.
     */
    private @Nullable Tail follow(Zone current, String first, int type) {
        String name = first;
        int owner = DnsReply.QUESTION;
        byte[] wire = null;
        int links = 0;
        while (current.record(name) instanceof Zone.Entry.Alias alias) {
            if (++links > DnsSection.MAX_LINKS) {
                return null;
            }
            owner = reply.alias(owner, alias.wire());
            name = alias.target();
            wire = alias.wire();
            if (type == DnsProtocol.CNAME || type == DnsProtocol.ANY) {
                return new Tail(name, owner, wire, true);
            }
        }
        if (!(current.record(name) instanceof Zone.Entry.Addresses fixed)) {
            return new Tail(name, owner, wire, false);
        }
        if (type == DnsProtocol.A || type == DnsProtocol.ANY) {
            for (byte[] address : fixed.addresses()) {
                reply.address(owner, address);
            }
        } else {
            reply.noData(owner);
        }
        return new Tail(name, owner, wire, true);
    }

    private void pass(Zone current, QuerySource client, Tail tail) {
        if (tail.name.length() > current.limits().passthroughNameLength()) {
            refused(client, "the name is too long to be forwarded");
            return;
        }
        if (!passed.tryAcquire(client.address(), current.limits().passthroughPerSecond())) {
            counters.limited.increment();
            LOG.debug("query from {} not forwarded: too many queries", client.address());
            error(client, DnsProtocol.REFUSED);
            return;
        }
        counters.passed.increment();
        if (!forwarding.tryTake(client.address(), current.limits().passthroughQueries())) {
            counters.failed.increment();
            error(client, DnsProtocol.SERVFAIL);
            return;
        }
        Query kept = query.copy();
        byte[] wire = tail.wire == null ? kept.nameBytes() : tail.wire;
        byte[] question = UpstreamQuestion.of(0, kept, wire);
        long asked = System.nanoTime();
        forwarder.ask(current.upstream(), tail.name, question, current.limits().passthroughTimeout(), answer -> {
            forwarding.giveBack(client.address());
            answers.since(asked, answer != null);
            relay(current, client, kept, tail, UpstreamQuestion.questionEnd(question), answer);
        });
    }

    private void relay(
            Zone current, QuerySource client, Query kept, Tail tail, int questionEnd, byte @Nullable [] answer) {
        UpstreamMessage message = answer == null ? null : UpstreamMessage.read(answer, questionEnd);
        if (message == null) {
            counters.failed.increment();
            reply.begin(kept, DnsProtocol.RA, DnsProtocol.SERVFAIL);
            send(client, kept, current, DnsProtocol.SERVFAIL);
            return;
        }
        reply.begin(kept, message.flags(), message.rcode());
        if (tail.wire == null) {
            message.appendTo(reply, questionEnd);
        } else {
            follow(current, kept.name(), kept.type());
            message.appendExpandedTo(reply, questionEnd);
        }
        send(client, kept, current, message.rcode());
    }

    private void send(QuerySource client, Query answered, Zone current, int rcode) {
        int most = Math.toIntExact(current.limits().udpResponseBytes().bytes());
        int limit = client.overTcp() ? DnsProtocol.MAX_MESSAGE : Math.min(answered.payload(), most);
        reply.end(answered, rcode, Math.max(DnsProtocol.PLAIN_UDP, query.capacity()), limit);
        if (reply.truncated()) {
            counters.truncated.increment();
        }
        client.send(reply);
    }
}
