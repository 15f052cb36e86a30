package dev.sallyport.sandboxcli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The walls of this module. */
class ArchitectureTest {

    private static final Set<String> DOOR = Set.of(
            "dev.sallyport.core.Subcommand",
            "dev.sallyport.core.SubcommandContext",
            "dev.sallyport.core.MachineCheck",
            "dev.sallyport.core.MachineCheck$Need");

    private static final String CONFIG = "dev.sallyport.core.config";

    @Test
    void ofCoreTheDoorForCommandsAndTheDoctorAndTheConfigurationAreUsed() {
        noClasses()
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "are ours and neither the door nor of sandboxes",
                        type -> type.getName().startsWith("dev.sallyport.")
                                && !type.getName().startsWith("dev.sallyport.sandbox")
                                && !type.getPackageName().equals(CONFIG)
                                && !DOOR.contains(type.getName())))
                .check(new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages("dev.sallyport.sandboxcli"));
    }
}
