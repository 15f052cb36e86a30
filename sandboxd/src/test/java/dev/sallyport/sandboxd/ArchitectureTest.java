package dev.sallyport.sandboxd;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The walls of this module. */
class ArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.sallyport.sandboxd");

    @Test
    void ofTheOtherModulesTheSpiAndSystemCallsAreUsed() {
        noClasses()
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "are ours and neither of the SPI nor system calls",
                        type -> type.getName().startsWith("dev.sallyport.")
                                && !type.getName().startsWith("dev.sallyport.sandboxd.")
                                && !type.getName().startsWith("dev.sallyport.sandbox.")
                                && !type.getName().startsWith("dev.sallyport.linux.")))
                .check(CLASSES);
    }

    @Test
    void noServerIsUsed() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.micronaut..", "io.netty..", "com.google.inject..", "java.net.http..")
                .check(CLASSES);
    }

    @Test
    void programsAreStartedInTwoPlaces() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName("dev.sallyport.sandboxd.system.Command")
                .and()
                .doNotHaveFullyQualifiedName("dev.sallyport.sandboxd.image.UserNamespace")
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.lang.ProcessBuilder")
                .check(CLASSES);
    }

    @Test
    void arrowsPointDown() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("program")
                .definedBy("dev.sallyport.sandboxd")
                .layer("server")
                .definedBy("dev.sallyport.sandboxd.server")
                .layer("client")
                .definedBy("dev.sallyport.sandboxd.client")
                .layer("oci")
                .definedBy("dev.sallyport.sandboxd.oci")
                .layer("qemu")
                .definedBy("dev.sallyport.sandboxd.qemu")
                .layer("vm")
                .definedBy("dev.sallyport.sandboxd.vm")
                .layer("net")
                .definedBy("dev.sallyport.sandboxd.net")
                .layer("image")
                .definedBy("dev.sallyport.sandboxd.image")
                .whereLayer("program")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("client")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("server")
                .mayOnlyBeAccessedByLayers("program")
                .whereLayer("oci")
                .mayOnlyBeAccessedByLayers("program")
                .whereLayer("qemu")
                .mayOnlyBeAccessedByLayers("program")
                .whereLayer("vm")
                .mayOnlyBeAccessedByLayers("program", "oci", "qemu")
                .whereLayer("net")
                .mayOnlyBeAccessedByLayers("vm", "oci", "qemu")
                .whereLayer("image")
                .mayOnlyBeAccessedByLayers("program", "vm", "oci", "qemu")
                .check(CLASSES);
    }
}
