package dev.sallyport.core.config;

import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Rule;
import dev.sallyport.toolkit.match.CompiledRules;
import java.util.List;

/** Checks rules with the compiler that will be used to match them. */
final class RuleCheck {

    private RuleCheck() {}

    static void rules(List<Rule> rules, Problems problems) {
        CompiledRules.check(rules, problems, "");
    }

    /** One rule: its problems have pointers relative to it. */
    static void rule(Rule rule, Problems problems) {
        rules(List.of(rule), (pointer, message, expected) -> problems.add(pointer.substring(2), message, expected));
    }

    /** A host glob on its own. */
    static void glob(String glob, Problems problems, String pointer) {
        rules(List.of(Rule.host(glob)), (rulePointer, message, expected) -> problems.add(pointer, message, expected));
    }
}
