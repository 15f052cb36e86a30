package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.sandboxd.vm.GuestTrust;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Guests name the gate's authority to the same tools as its own script does. */
class GuestVariablesTest {

    private static final Pattern EXPORT = Pattern.compile("(?m)^ *export ([A-Za-z_]+)=");

    /** Where the script keeps its files, and what guests' own JDKs do not need. */
    private static final Set<String> OTHERS = Set.of("SALLYPORT_ROOTS");

    private static Set<String> exported(Class<?> neighbour, String script) throws IOException {
        try (InputStream stream = neighbour.getResourceAsStream(script)) {
            assertThat(stream).as(script).isNotNull();
            Matcher export = EXPORT.matcher(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
            Set<String> names = new TreeSet<>();
            while (export.find()) {
                names.add(export.group(1));
            }
            return names;
        }
    }

    @Test
    void theyAreThoseOfTheScriptForOtherWorkloads() throws Exception {
        Set<String> expected = exported(EgressProxy.class, "exchange/env-ca.sh");
        expected.removeAll(OTHERS);

        assertThat(exported(GuestTrust.class, "trust-variables.sh"))
                .isEqualTo(expected)
                .hasSizeGreaterThan(10);
    }
}
