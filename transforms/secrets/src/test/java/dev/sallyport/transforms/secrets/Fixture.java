package dev.sallyport.transforms.secrets;

import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testkit.TransformHarness;
import java.util.List;
import java.util.Map;

/** What the tests share: one secret called TOKEN, and ways to configure entries. */
final class Fixture {

    static final String REAL = "s3cr3t/+value";

    private Fixture() {}

    static FakeSecrets values() {
        return new FakeSecrets().set("TOKEN", REAL).set("OTHER", "other-value");
    }

    /** A harness with these entries of {@code secrets}, each in YAML flow style. */
    static TransformHarness secrets(String... entries) {
        return harness(entries).start();
    }

    static TransformHarness.Builder harness(String... entries) {
        StringBuilder yaml = new StringBuilder("""
                transforms:
                  - name: secrets
                    config:
                      secrets:
                """);
        for (String entry : entries) {
            yaml.append("        - ").append(entry).append('\n');
        }
        return TransformHarness.of(yaml.toString()).secrets(values());
    }

    /** An entry that replaces PLACEHOLDER by TOKEN; {@code more} begins with a comma. */
    static String replace(String more) {
        return "{source: {type: fake, name: TOKEN}, replace: {proxy_value: PLACEHOLDER" + more + "}}";
    }

    static String inject(String how) {
        return "{source: {type: fake, name: TOKEN}, inject: {" + how + "}}";
    }

    /** The annotation for one secret. */
    static List<Map<String, Object>> use(String secret, String... locations) {
        return List.of(Map.of("secret", secret, "locations", List.of(locations)));
    }
}
