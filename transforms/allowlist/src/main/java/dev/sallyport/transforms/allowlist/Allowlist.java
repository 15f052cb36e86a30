package dev.sallyport.transforms.allowlist;

import dev.sallyport.spi.Admission;
import dev.sallyport.spi.ConnectContext;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RuleSet;

/** Judges by one compiled list; allocates nothing for what it allows. */
final class Allowlist implements InlineTransform {

    private static final String CODE = "destination_not_allowed";

    private final RuleSet allowed;
    private final boolean warn;

    Allowlist(RuleSet allowed, boolean warn) {
        this.allowed = allowed;
        this.warn = warn;
    }

    /**
     * Refuses only a host that no rule could ever allow: a rule for some methods or paths leaves the verdict to the
     * requests inside the tunnel. A list that only warns lets every tunnel open.
     */
    @Override
    public Admission onConnect(ConnectContext context) {
        if (warn || allowed.reachesThrough(context.target())) {
            return Admission.pass();
        }
        return Admission.refuse(CODE, "Tunnels to " + context.target().host() + " are not allowed.");
    }

    @Override
    public Decision decide(RequestContext context) {
        if (allowed.match(context) != RuleSet.NO_MATCH) {
            return Decision.proceed();
        }
        if (warn) {
            context.trace().annotate("action", "warn");
            context.trace().warn();
            return Decision.proceedWithoutCredentials();
        }
        Destination destination = context.destination();
        return Decision.reject(403, CODE, "This request to " + destination.host() + " is not allowed.");
    }
}
