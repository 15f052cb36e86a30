package dev.sallyport.ctl;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The walls of this module. */
class ArchitectureTest {

    private static final Set<String> DOOR =
            Set.of("dev.sallyport.core.Subcommand", "dev.sallyport.core.SubcommandContext");

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.sallyport.ctl");

    @Test
    void ofTheOtherModulesTheDoorForSubcommandsAloneIsUsed() {
        noClasses()
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "are ours and not the door",
                        type -> type.getName().startsWith("dev.sallyport.")
                                && !type.getName().startsWith("dev.sallyport.ctl.")
                                && !DOOR.contains(type.getName())))
                .check(CLASSES);
    }

    @Test
    void noServerIsUsed() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.micronaut..", "io.netty..", "com.google.inject..", "org.jdbi..")
                .check(CLASSES);
    }

    @Test
    void arrowsPointDown() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("commands")
                .definedBy("dev.sallyport.ctl")
                .layer("client")
                .definedBy("dev.sallyport.ctl.client")
                .layer("context")
                .definedBy("dev.sallyport.ctl.context")
                .layer("text")
                .definedBy("dev.sallyport.ctl.text")
                .layer("problem")
                .definedBy("dev.sallyport.ctl.problem")
                .whereLayer("commands")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("client")
                .mayOnlyBeAccessedByLayers("commands")
                .whereLayer("context")
                .mayOnlyBeAccessedByLayers("commands")
                .whereLayer("text")
                .mayOnlyBeAccessedByLayers("commands", "client", "context")
                .whereLayer("problem")
                .mayOnlyBeAccessedByLayers("commands", "client", "context", "text")
                .check(CLASSES);
    }
}
