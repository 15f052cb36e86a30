package dev.sallyport.server.init;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A package manager that can be asked for its registries: mirrors count, and no registry's name is known here. */
public enum PackageManager {
    /** Node's. */
    NPM {
        @Override
        Answer ask(Tools tools) throws IOException, InterruptedException {
            return RegistryCommands.npm(tools);
        }
    },
    /** Python's. */
    PIP {
        @Override
        Answer ask(Tools tools) throws IOException, InterruptedException {
            return PipIndexes.ask(tools);
        }
    },
    /** Go's modules. */
    GO {
        @Override
        Answer ask(Tools tools) throws IOException, InterruptedException {
            return RegistryCommands.go(tools);
        }
    },
    /** Rust's. */
    CARGO {
        @Override
        Answer ask(Tools tools) throws IOException {
            return CargoRegistries.ask(tools);
        }
    },
    /** Java's. */
    MAVEN {
        @Override
        Answer ask(Tools tools) throws IOException, InterruptedException {
            return MavenRepositories.ask(tools);
        }
    },
    /** Debian's. */
    APT {
        @Override
        Answer ask(Tools tools) throws IOException, InterruptedException {
            return RegistryCommands.apt(tools);
        }
    };

    /** Asks it. Blocks, also for connections with a registry, which the manager itself makes. */
    abstract Answer ask(Tools tools) throws IOException, InterruptedException;

    /** As the command line has it. */
    public String option() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The one that is called so; null for no such one. */
    public static @Nullable PackageManager of(String option) {
        return Arrays.stream(values())
                .filter(manager -> manager.option().equals(option))
                .findFirst()
                .orElse(null);
    }

    /** All of them as the command line has them. */
    public static List<String> options() {
        return Arrays.stream(values()).map(PackageManager::option).toList();
    }
}
