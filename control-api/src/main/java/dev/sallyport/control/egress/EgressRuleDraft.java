package dev.sallyport.control.egress;

import dev.sallyport.control.model.Checked;
import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.ServerOwned;
import dev.sallyport.control.model.Texts;
import dev.sallyport.spi.Rule;
import dev.sallyport.toolkit.match.CompiledRules;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A rule as a client sends it. */
@ServerOwned({"id", "created_at"})
public record EgressRuleDraft(
        @Limits(
                min = 1,
                max = 64,
                pattern = Texts.PRINTABLE,
                expected = Texts.PRINTABLE_WORDS,
                description = "Unique among the rules of the account.")
        @Nullable String name,

        @Limits(
                max = 254,
                description =
                        "Host name, * for any, or a pattern such as *.example.com, which is every subdomain and example.com. Not together with cidr.")
        @Nullable String host,

        @Limits(
                max = 64,
                description = "Address or range, for hosts that are address literals. Not together with host.")
        @Nullable String cidr,

        @Limits(max = 1024, description = "For people.") @Nullable String comment)
        implements Checked {

    @Override
    public void check(FieldProblems problems) {
        if (problems.isTouched("host") || problems.isTouched("cidr")) {
            return;
        }
        if ((host == null) == (cidr == null)) {
            problems.add("", host == null ? "neither host nor cidr (expected: one)" : "host and cidr (expected: one)");
            return;
        }
        CompiledRules.check(
                List.of(Rule.builder().host(host).cidr(cidr).build()),
                (pointer, message, expected) -> problems.add(
                        host == null ? "cidr" : "host",
                        expected.isEmpty() ? message : message + " (expected: " + expected + ")"),
                "");
    }
}
