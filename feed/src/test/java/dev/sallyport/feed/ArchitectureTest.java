package dev.sallyport.feed;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The walls of this module. */
class ArchitectureTest {

    @Test
    void ofCoreItsTopPackageConfigAuditAndMeterAreUsedAndOfTheControlPlaneNothing() {
        noClasses()
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "are other packages of core, or of the control plane",
                        type -> type.getPackageName().startsWith("dev.sallyport.control")
                                || (type.getPackageName().startsWith("dev.sallyport.core")
                                        && !List.of(
                                                        "dev.sallyport.core",
                                                        "dev.sallyport.core.config",
                                                        "dev.sallyport.core.audit",
                                                        "dev.sallyport.core.meter")
                                                .contains(type.getPackageName()))))
                .check(new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages("dev.sallyport.feed"));
    }
}
