package dev.sallyport.server.init;

import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.server.Failure;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes a first configuration. Blocks. */
public final class Initialization {

    private final Tools tools;
    private final PluginCatalog catalog;

    /**
     * @param environment of the tools that are asked, such as {@link System#getenv()}
     * @param folder in which they are asked: some answer by what is there
     * @param catalog of the server that is to read the configuration
     */
    public Initialization(Map<String, String> environment, Path folder, PluginCatalog catalog) {
        this.tools = new Tools(environment, folder);
        this.catalog = catalog;
    }

    /**
     * Writes a configuration.
     *
     * @param force whether a file that is there may be overwritten
     * @return what to tell the user: what the tools said, and which commands come next
     * @throws Failure when the file is there, or cannot be written
     */
    public List<String> write(Plan plan, Path file, boolean force) throws Failure, InterruptedException {
        if (!force && Files.exists(file)) {
            throw isThere(file);
        }
        try {
            List<Answer> answers = new ArrayList<>();
            if (plan.purpose().needsRegistries()) {
                for (PackageManager manager : plan.managers()) {
                    answers.add(manager.ask(tools));
                }
            }
            List<Repository> repositories = plan.purpose().needsRepository() ? Repository.of(tools) : List.of();
            String text = ConfigText.of(plan, quoted(file.getFileName()), answers, repositories);
            verify(file, text);
            save(file, text, force);
            return told(plan, file, answers, repositories);
        } catch (FileAlreadyExistsException e) {
            throw isThere(file);
        } catch (NoSuchFileException e) {
            throw new Failure(file + ": cannot be written (expected: a folder that is there)");
        } catch (AccessDeniedException e) {
            throw new Failure(e.getFile() + ": permission denied");
        } catch (IOException e) {
            throw new Failure(file + ": cannot be written: " + e.getMessage());
        }
    }

    /** An option may hold what no configuration can. */
    private void verify(Path file, String text) throws Failure {
        Path folder = Objects.requireNonNullElse(file.toAbsolutePath().getParent(), Path.of("/"));
        List<ConfigProblem> problems = ConfigLoader.load(file.toString(), text, folder, Map.of(), catalog)
                .problems();
        if (!problems.isEmpty()) {
            throw new Failure(problems.stream().map(ConfigProblem::toString).toList());
        }
    }

    private static Failure isThere(Path file) {
        return new Failure(file + ": is there already (expected: another name for --out, or --force)");
    }

    private static void save(Path file, String text, boolean force) throws IOException {
        if (force) {
            Files.writeString(file, text);
        } else {
            Files.writeString(file, text, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        }
    }

    private static List<String> told(Plan plan, Path file, List<Answer> answers, List<Repository> repositories) {
        List<String> lines = new ArrayList<>();
        lines.add(file + ": for " + plan.purpose().words());
        answers.forEach(answer -> lines.add("  " + answer.line()));
        repositories.forEach(repository ->
                lines.add("  git: " + repository.host() + repository.path() + " (git remote -v); to fetch from"));
        if (plan.purpose().needsRepository() && repositories.isEmpty()) {
            lines.add(
                    "  git: no remote is reached over HTTP or SSH from here, so none is let through (--allow HOST does)");
        }
        plan.secrets()
                .forEach(secret -> lines.add("  " + secret.name() + ": a placeholder for the workload; "
                        + secret.variable() + " of the proxy goes to " + String.join(", ", secret.hosts())));
        lines.add("Next:");
        next(plan, file).forEach(command -> lines.add("  " + command));
        return lines;
    }

    /** Two commands: the authority first, where there is none. */
    private static List<String> next(Plan plan, Path file) {
        Path folder = file.getParent();
        Path certificate = folder == null ? Path.of("ca.crt") : folder.resolve("ca.crt");
        Path key = folder == null ? Path.of("ca.key") : folder.resolve("ca.key");
        String first = Files.exists(certificate) && Files.exists(key)
                ? "sallyport check -config " + quoted(file)
                : folder == null
                        ? "sallyport generate-ca"
                        : "sallyport generate-ca --cert " + quoted(certificate) + " --key " + quoted(key);
        String variables = plan.secrets().stream()
                .map(secret -> secret.variable() + "=... ")
                .distinct()
                .collect(Collectors.joining());
        return List.of(first, variables + "sallyport -config " + quoted(file));
    }

    /** For a shell. */
    private static String quoted(@Nullable Path file) {
        String name = String.valueOf(file);
        return name.matches("[A-Za-z0-9._/@%+=:,-]+") ? name : "'" + name.replace("'", "'\\''") + "'";
    }
}
