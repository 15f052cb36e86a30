package dev.sallyport.transforms.allowlist;

import dev.sallyport.spi.Admission;
import dev.sallyport.spi.ConnectContext;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.GateVerdict;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import java.util.List;

/** Judges by one compiled list; allocates nothing for what it allows. */
final class Allowlist implements InlineTransform {

    private static final String CODE = "destination_not_allowed";

    private final RuleSet allowed;
    private final boolean warn;

    /** By the position of the rule. */
    private final GateVerdict[] verdicts;

    private final GateVerdict byHost;
    private final GateVerdict denied;

    private Allowlist(RuleSet allowed, boolean warn, GateVerdict byHost, GateVerdict[] verdicts) {
        this.allowed = allowed;
        this.warn = warn;
        this.byHost = byHost;
        this.verdicts = verdicts;
        this.denied = GateVerdict.denied(warn);
    }

    /** @param allowed these rules, compiled */
    static Allowlist of(List<Rule> rules, RuleSet allowed, boolean warn) {
        GateVerdict byHost = GateVerdict.allowed(warn, null);
        GateVerdict[] verdicts = rules.stream()
                .map(rule -> rule.cidr() == null ? byHost : GateVerdict.allowed(warn, rule.cidr()))
                .toArray(GateVerdict[]::new);
        return new Allowlist(allowed, warn, byHost, verdicts);
    }

    /**
     * Refuses only a host that no rule could ever allow: a rule for some methods or paths leaves the verdict to the
     * requests inside the tunnel. A list that only warns lets every tunnel open.
     */
    @Override
    public Admission onConnect(ConnectContext context) {
        int rule = allowed.match(context.target(), "", "");
        if (rule != RuleSet.NO_MATCH) {
            context.verdict(verdicts[rule]);
            return Admission.pass();
        }
        boolean open = context.mayReach(allowed);
        context.verdict(open ? byHost : denied);
        if (open || warn) {
            return Admission.pass();
        }
        return Admission.refuse(CODE, "Tunnels to " + context.target().host() + " are not allowed.");
    }

    @Override
    public Decision decide(RequestContext context) {
        int rule = allowed.match(context);
        if (rule != RuleSet.NO_MATCH) {
            context.trace().verdict(verdicts[rule]);
            return Decision.proceed();
        }
        context.trace().verdict(denied);
        if (warn) {
            context.trace().annotate("action", "warn");
            context.trace().warn();
            return Decision.proceedWithoutCredentials();
        }
        Destination destination = context.destination();
        return Decision.reject(403, CODE, "This request to " + destination.host() + " is not allowed.");
    }
}
