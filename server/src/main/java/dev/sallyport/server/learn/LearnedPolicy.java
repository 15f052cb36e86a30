package dev.sallyport.server.learn;

import java.util.List;

/**
 * What was learned.
 *
 * @param rules by host, in a stable order; they cover all {@code requests} that rules kept from before do not
 * @param requests how many requests the policy covers, those covered by kept rules too
 * @param hosts how many hosts they went to
 * @param literal the hosts whose paths were not generalised, because they get a credential
 */
record LearnedPolicy(List<LearnedRule> rules, long requests, int hosts, List<String> literal) {

    LearnedPolicy {
        rules = List.copyOf(rules);
        literal = List.copyOf(literal);
    }
}
