package dev.sallyport.control.feed;

import dev.sallyport.control.egress.AllowedRule;
import dev.sallyport.control.egress.EgressPolicy;
import dev.sallyport.control.policy.PolicySet;
import dev.sallyport.control.secret.SecretSet;
import java.util.List;

/**
 * What pipelines of an organization are made of, as it was at one moment.
 *
 * @param rules the older first
 */
public record Account(PolicySet policies, EgressPolicy egress, List<AllowedRule> rules, SecretSet secrets) {

    public Account {
        rules = List.copyOf(rules);
    }
}
