package dev.sallyport.control;

import dev.sallyport.control.audit.EgressBatch;
import dev.sallyport.control.audit.EgressEvent;
import dev.sallyport.control.audit.EgressFacts;
import dev.sallyport.control.model.EgressMode;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Events as proxies deliver them. */
final class EgressEvents {

    static final EgressFacts.Outcome ALLOWED =
            new EgressFacts.Outcome(EgressEvent.Verdict.ALLOWED, true, EgressMode.ENFORCE, null);

    static final EgressFacts.Outcome DENIED =
            new EgressFacts.Outcome(EgressEvent.Verdict.DENIED, false, EgressMode.ENFORCE, null);

    static final EgressFacts.Outcome WARNED =
            new EgressFacts.Outcome(EgressEvent.Verdict.DENIED, true, EgressMode.WARN, null);

    private static final AtomicLong POSITIONS = new AtomicLong();

    private EgressEvents() {}

    /** The organization of a client. */
    static String organization(Api api) {
        return api.get("/v1/me").json().at("/organization/id").asText();
    }

    static EgressFacts facts(Instant at, String host, EgressFacts.Outcome outcome) {
        return new EgressFacts(
                at, null, new EgressFacts.Target(host, null, EgressEvent.Protocol.TLS), outcome, List.of());
    }

    /** Delivers events of one proxy. */
    static void arrive(TestControl control, String organization, List<EgressFacts> events) {
        control.events()
                .add(new EgressBatch(
                        "prx_test",
                        "epoch",
                        events.stream()
                                .map(facts ->
                                        new EgressBatch.Numbered(POSITIONS.incrementAndGet(), organization, facts))
                                .toList()));
    }

    /** Delivers an event that happens now. */
    static void arrive(TestControl control, Api api, String host) {
        arrive(control, organization(api), List.of(facts(control.clock().instant(), host, ALLOWED)));
    }
}
