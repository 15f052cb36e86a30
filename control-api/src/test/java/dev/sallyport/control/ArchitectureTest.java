package dev.sallyport.control;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.WithoutCaller;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The walls of this module. */
class ArchitectureTest {

    private static final String CONTROL = "dev.sallyport.control";

    /** From left to right: a package may use those to its right, and no others. */
    private static final List<List<String>> ORDER = List.of(
            List.of(""),
            List.of("web"),
            List.of("api"),
            List.of("feed"),
            List.of("agent"),
            List.of("sandbox"),
            List.of("account", "policy", "proxy", "egress", "secret", "environment", "workload"),
            List.of("audit"),
            List.of("crypto"),
            List.of("store"),
            List.of("model"));

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(CONTROL);

    private static String of(String name) {
        return name.isEmpty() ? CONTROL : CONTROL + "." + name;
    }

    @Test
    void arrowsPointToTheRight() {
        for (int i = 0; i < ORDER.size(); i++) {
            for (String name : ORDER.get(i)) {
                List<String> left = new ArrayList<>();
                ORDER.subList(0, i).forEach(level -> level.forEach(other -> left.add(of(other))));
                ORDER.get(i).stream().filter(other -> !other.equals(name)).forEach(other -> left.add(of(other)));
                if (!left.isEmpty()) {
                    noClasses()
                            .that()
                            .resideInAPackage(of(name))
                            .should()
                            .dependOnClassesThat()
                            .resideInAnyPackage(left.toArray(String[]::new))
                            .check(CLASSES);
                }
            }
        }
    }

    /** Of {@code explain} the values that {@code DryRun} of the top package takes and gives. */
    @Test
    void ofCoreItsTopPackageConfigAuditMeterAndExplainAreUsed() {
        noClasses()
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "are other packages of core",
                        type -> type.getPackageName().startsWith("dev.sallyport.core")
                                && !List.of(
                                                "dev.sallyport.core",
                                                "dev.sallyport.core.config",
                                                "dev.sallyport.core.audit",
                                                "dev.sallyport.core.audit.chain",
                                                "dev.sallyport.core.meter",
                                                "dev.sallyport.core.explain")
                                        .contains(type.getPackageName())))
                .check(CLASSES);
    }

    @Test
    void micronautStaysOutsideOfServices() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        of("feed"),
                        of("account"),
                        of("policy"),
                        of("proxy"),
                        of("egress"),
                        of("secret"),
                        of("environment"),
                        of("workload"),
                        of("sandbox"),
                        of("agent"),
                        of("audit"),
                        of("crypto"),
                        of("store"),
                        of("model"))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.micronaut.http..")
                .check(CLASSES);
    }

    @Test
    void statementsStandBesideServicesOnly() {
        noClasses()
                .that()
                .resideInAnyPackage(of("web"), of("feed"), of("model"), of("crypto"))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.jdbi..")
                .check(CLASSES);
    }

    @Test
    void noMethodOfAServiceIsWithoutACaller() {
        methods()
                .that()
                .areDeclaredInClassesThat()
                .resideInAnyPackage(
                        of("account"),
                        of("policy"),
                        of("proxy"),
                        of("egress"),
                        of("secret"),
                        of("environment"),
                        of("workload"),
                        of("sandbox"),
                        of("agent"),
                        of("audit"))
                .and()
                .areDeclaredInClassesThat(DescribedPredicate.describe(
                        "use the store",
                        type -> !type.isRecord()
                                && type.getFields().stream()
                                        .anyMatch(field -> field.getRawType()
                                                .getName()
                                                .equals("dev.sallyport.control.store.Store"))))
                .and()
                .arePublic()
                .should(new ArchCondition<JavaMethod>("take a Caller, or say why not") {
                    @Override
                    public void check(JavaMethod method, ConditionEvents events) {
                        boolean good = method.isAnnotatedWith(WithoutCaller.class)
                                || method.getRawParameterTypes().stream()
                                        .anyMatch(type -> type.isEquivalentTo(Caller.class));
                        events.add(new SimpleConditionEvent(method, good, method.getFullName()));
                    }
                })
                .check(CLASSES);
    }
}
