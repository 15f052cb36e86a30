package dev.sallyport.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.sallyport.core.fixture.config.Configured;
import dev.sallyport.core.fixture.config.KnowsListener;
import dev.sallyport.core.fixture.dns.KnowsNeighbour;
import dev.sallyport.core.fixture.net.KnowsConfig;
import dev.sallyport.core.fixture.net.Listener;
import dev.sallyport.core.fixture.stray.Stray;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Holds the arrows between the packages of the engine: a package may use those to its right, and no others. */
class ArchitectureTest {
    private static final String CORE = "dev.sallyport.core";
    private static final String FIXTURE = CORE + ".fixture";

    /** From left to right. Packages of one entry stand side by side and do not know each other. */
    private static final List<List<String>> ORDER = List.of(
            List.of(""),
            List.of("explain"),
            List.of("net", "dns"),
            List.of("net.tunnel"),
            List.of("net.http1", "net.http2"),
            List.of("net.connection"),
            List.of("net.request"),
            List.of("exchange"),
            List.of("websocket"),
            List.of("pipeline"),
            List.of("workload"),
            List.of("redact"),
            List.of("body"),
            List.of("secret"),
            List.of("upstream"),
            List.of("parent"),
            List.of("http1", "http2"),
            List.of("http"),
            List.of("tls"),
            List.of("loop"),
            List.of("resolve"),
            List.of("audit"),
            List.of("audit.chain"),
            List.of("meter"),
            List.of("config"));

    @Test
    void arrowsPointToTheRight() {
        var engine = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages(CORE);

        arrows(CORE).check(engine);
    }

    @Test
    void theRuleAcceptsAnArrowToTheRight() {
        assertThat(violations(Listener.class, KnowsConfig.class, Configured.class))
                .isEmpty();
    }

    @Test
    void theRuleRejectsAnArrowToTheLeft() {
        assertThat(violations(KnowsListener.class, Listener.class))
                .isNotEmpty()
                .allMatch(line -> line.startsWith("config > net"));
    }

    @Test
    void theRuleRejectsAnArrowToTheSide() {
        assertThat(violations(KnowsNeighbour.class, Listener.class))
                .isNotEmpty()
                .allMatch(line -> line.startsWith("dns > net"));
    }

    @Test
    void theRuleRejectsAPackageWithoutAPlace() {
        assertThat(violations(Stray.class)).isNotEmpty().allMatch(line -> line.contains("'stray'"));
    }

    private static List<String> violations(Class<?>... fixture) {
        var result = arrows(FIXTURE).evaluate(new ClassFileImporter().importClasses(fixture));
        return result.getFailureReport().getDetails();
    }

    private static ArchRule arrows(String root) {
        return classes()
                .that()
                .resideInAPackage(root + "..")
                .should(pointToTheRight(root))
                .allowEmptyShould(true);
    }

    private static ArchCondition<JavaClass> pointToTheRight(String root) {
        return new ArchCondition<>("use only packages to the right of their own") {
            @Override
            public void check(JavaClass origin, ConditionEvents events) {
                String from = part(root, origin);
                if (place(from) < 0) {
                    events.add(SimpleConditionEvent.violated(
                            origin, origin.getName() + ": package '" + from + "' has no place in the order"));
                    return;
                }
                for (var dependency : origin.getDirectDependenciesFromSelf()) {
                    JavaClass target = dependency.getTargetClass().getBaseComponentType();
                    if (!target.getPackageName().startsWith(root)) {
                        continue;
                    }
                    String to = part(root, target);
                    if (!to.equals(from) && place(to) <= place(from)) {
                        events.add(SimpleConditionEvent.violated(
                                origin, from + " > " + to + ": " + dependency.getDescription()));
                    }
                }
            }
        };
    }

    /** The package below the root, as far as the order knows it, else its first segment; empty for the root itself. */
    private static String part(String root, JavaClass type) {
        String below = type.getPackageName().substring(root.length());
        String whole = below.isEmpty() ? "" : below.substring(1);
        return place(whole) >= 0 ? whole : whole.split("\\.", 2)[0];
    }

    private static int place(String part) {
        for (int i = 0; i < ORDER.size(); i++) {
            if (ORDER.get(i).contains(part)) {
                return i;
            }
        }
        return -1;
    }
}
