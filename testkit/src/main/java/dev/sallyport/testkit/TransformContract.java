package dev.sallyport.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.FieldTable;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.TransformFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The contract tests for every transform. Extend it in a test of your module and name the factory:
 *
 * <pre>{@code
 * class AddHeaderContractTest extends TransformContract {
 *     AddHeaderContractTest() {
 *         super(AddHeaderFactory.class);
 *     }
 * }
 * }</pre>
 *
 * <p>The module's {@code README.md} takes part: its YAML examples are bound and run, and its table of fields is
 * compared with the config record.
 */
public abstract class TransformContract {

    private static final Pattern EXAMPLE = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
    private static final Pattern VARIABLE = Pattern.compile("(?:var|_env): ([A-Z0-9_]+)");

    private final Class<? extends TransformFactory<?>> type;

    /** The contract of the transforms that this factory makes. */
    protected TransformContract(Class<? extends TransformFactory<?>> type) {
        this.type = type;
    }

    /** The module's documentation; default: {@code README.md} in the folder of the module. */
    protected Path readme() {
        return Path.of("README.md");
    }

    /** The headings that the documentation must have. */
    protected List<String> questions() {
        return List.of("## What", "## When", "## When not", "## Configuration", "## Example", "## Order", "## Audit");
    }

    /** Requests with which the examples of the documentation are run; an undeclared edit fails them. */
    protected List<TestRequest> requests() {
        return List.of(
                TestRequest.get("https://api.example.com/v1/items?token=PLACEHOLDER"),
                TestRequest.post("https://api.example.com/v1/items", "application/json", "{\"a\":1}"),
                TestRequest.post("https://api.example.com/v1/items", "text/plain", "")
                        .chunks("some ", "body"),
                TestRequest.get("http://203.0.113.7/"),
                TestRequest.hostOnly("api.example.com"));
    }

    @Test
    void serviceLoaderFindsTheFactory() {
        assertThat(ServiceLoader.load(TransformFactory.class).stream().map(ServiceLoader.Provider::type))
                .as("META-INF/services/" + TransformFactory.class.getName())
                .contains(type);
    }

    @Test
    void descriptorIsStable() {
        Descriptor<?> one = factory().descriptor();
        Descriptor<?> other = factory().descriptor();
        assertThat(one.names()).isEqualTo(other.names());
        assertThat(one.configType()).isEqualTo(other.configType());
        assertThat(one.isSection()).isEqualTo(other.isSection());
        assertThat(one.summary()).isNotBlank().isEqualTo(other.summary());
    }

    @Test
    void factoryHoldsNoState() {
        assertThat(Arrays.stream(type.getDeclaredFields())
                        .filter(field -> !Modifier.isStatic(field.getModifiers()))
                        .filter(field -> !field.isSynthetic()))
                .as("fields of " + type.getName())
                .isEmpty();
    }

    @Test
    void documentationAnswersTheFixedQuestions() {
        assertThat(text().lines().toList()).containsAll(questions());
    }

    @Test
    void documentationShowsTheFieldsOfTheRecord() {
        String table = FieldTable.markdown(factory().descriptor().configType());
        assertThat(text()).as("expected in README.md:\n" + table).contains(table);
    }

    @Test
    void everyExampleCanBeUsed() {
        assertThat(examples()).as("YAML examples in README.md").isNotEmpty();
        for (String example : examples()) {
            assertThat(harness(example).problems()).as(example).isEmpty();
        }
    }

    @Test
    void capabilitiesDependOnTheConfigurationOnly() {
        for (String example : examples()) {
            HarnessSetup one = setup(example);
            HarnessSetup other = setup(example);
            assertThat(shown(one)).isEqualTo(shown(other));
        }
    }

    @Test
    void editsStayWithinTheDeclaration() {
        for (String example : examples()) {
            try (TransformHarness harness = harness(example).start()) {
                for (TestRequest request : requests()) {
                    ExchangeResult result = harness.send(request);
                    assertThat(result.code())
                            .as("%s with %s", request, example)
                            .isNotIn("transform_failed", "transform_timeout");
                }
            }
        }
    }

    @Test
    void secretsAreShownNowhere() {
        for (String example : examples()) {
            try (TransformHarness harness = harness(example).start()) {
                for (TestRequest request : requests()) {
                    ExchangeResult result = harness.send(request);
                    environment(example)
                            .values()
                            .forEach(secret -> ExchangeAssert.assertThat(result).doesNotShow(secret));
                }
            }
        }
    }

    private TransformHarness.Builder harness(String example) {
        return TransformHarness.of(example).environment(environment(example));
    }

    private HarnessSetup setup(String example) {
        HarnessSetup setup = new HarnessSetup(example);
        setup.environment(environment(example));
        return setup;
    }

    private static List<String> shown(HarnessSetup setup) {
        List<String> shown = new ArrayList<>();
        setup.bind().forEach(entry -> {
            Capabilities declared = entry.capabilities();
            shown.add(entry.name()
                    + declared.reads()
                    + declared.writes()
                    + declared.effects()
                    + declared.scope()
                    + declared.observer()
                    + declared.deadline());
        });
        return shown;
    }

    /** The value of a variable that an example names, for transforms that cannot be made with any text. */
    protected String variable(String name) {
        return "real-value-of-" + name;
    }

    /** A value for each variable that an example names. */
    private Map<String, String> environment(String example) {
        Map<String, String> environment = new HashMap<>();
        Matcher variables = VARIABLE.matcher(example);
        while (variables.find()) {
            environment.put(variables.group(1), variable(variables.group(1)));
        }
        return environment;
    }

    private List<String> examples() {
        return EXAMPLE.matcher(text())
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
    }

    private String text() {
        try {
            return Files.readString(readme());
        } catch (IOException e) {
            throw new UncheckedIOException("README.md of the module", e);
        }
    }

    private TransformFactory<?> factory() {
        try {
            return type.getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(type.getName() + ": no public no-argument constructor", e);
        }
    }
}
