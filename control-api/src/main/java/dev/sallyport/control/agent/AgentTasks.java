package dev.sallyport.control.agent;

import dev.sallyport.sandbox.GuestTask;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What is run in the VM of an agent, at each stage. Pure. */
@Singleton
final class AgentTasks {

    /** The folder of the repository, as the guest sees it. */
    static final String REPOSITORY = "/root/repository";

    private static final Duration CLONE = Duration.ofMinutes(30);
    private static final Duration SHORT = Duration.ofMinutes(10);
    private static final String PROMPT = "prompt";
    private static final String ARGUMENTS = "arguments";
    private static final String CREDENTIALS = "credentials";

    private final AgentSettings settings;

    AgentTasks(AgentSettings settings) {
        this.settings = settings;
    }

    /** The branch to which the work of an agent is pushed. */
    static String pushed(AgentRow agent) {
        return "sallyport/" + agent.id();
    }

    /** How long the task of a stage may take. */
    Duration limit(AgentStage stage) {
        return switch (stage) {
            case CLONE -> CLONE;
            case HARNESS -> settings.timeBudget();
            default -> SHORT;
        };
    }

    /**
     * The task of the agent's stage.
     *
     * @throws VmException when there is none any more
     */
    GuestTask of(AgentRow agent) throws VmException {
        return switch (agent.progress().stage()) {
            case CLONE -> cloning(agent);
            case HEAD -> git(List.of("rev-parse", "HEAD", "--abbrev-ref", "HEAD"));
            case HARNESS -> harness(agent);
            case STAGE -> git(List.of("add", "--all"));
            case PATCH ->
                git(List.of(
                        "diff",
                        "--cached",
                        "--binary",
                        "--no-color",
                        "--no-ext-diff",
                        "--no-textconv",
                        String.valueOf(agent.progress().base())));
            case COMMIT ->
                git(List.of(
                        "commit",
                        "--quiet",
                        "--allow-empty",
                        "--no-verify",
                        "--message",
                        agent.identity().name()));
            case PUSH -> git(List.of("push", "--quiet", "origin", "HEAD:refs/heads/" + pushed(agent)));
            case DONE -> throw new VmException(Reason.INVALID, "nothing is left to be done");
        };
    }

    private static GuestTask git(List<String> arguments) {
        List<String> command = new ArrayList<>(List.of("env", "GIT_TERMINAL_PROMPT=0", "git", "-C", REPOSITORY));
        command.addAll(arguments);
        return new GuestTask(command, SHORT);
    }

    /** Settings that are given with the clone stay those of the repository, for the harness too. */
    private GuestTask cloning(AgentRow agent) {
        String file = AgentStage.CLONE.task().folder() + "/" + CREDENTIALS;
        List<String> command = new ArrayList<>(List.of(
                "env",
                "GIT_TERMINAL_PROMPT=0",
                "GIT_ALLOW_PROTOCOL=http:https:ssh:git",
                "GIT_SSH_COMMAND=ssh -o BatchMode=yes -o StrictHostKeyChecking=accept-new -o ConnectTimeout=30",
                "git",
                "clone",
                "--config",
                "credential.helper=!sh " + file,
                "--config",
                "user.name=" + agent.identity().harness(), // Git takes no name of punctuation alone
                "--config",
                "user.email=" + agent.id() + "@sallyport.invalid"));
        if (agent.branch() != null) {
            command.add("--branch=" + agent.branch());
        }
        command.addAll(List.of("--", agent.identity().repo(), REPOSITORY));
        return new GuestTask(command, Map.of(CREDENTIALS, credentials()), null, CLONE);
    }

    /** A helper of Git (gitcredentials(7)): the guest has placeholders only, and the gate replaces them on the way out. */
    private String credentials() {
        StringBuilder script = new StringBuilder("[ \"$1\" = get ] || exit 0\nfor password in");
        settings.credentials()
                .forEach(variable -> script.append(" \"${").append(variable).append(":-}\""));
        return script.append("; do\n")
                .append("    [ -n \"$password\" ] || continue\n")
                .append("    echo \"username=${GIT_USERNAME:-x-access-token}\"\n")
                .append("    echo \"password=$password\"\n")
                .append("    exit 0\n")
                .append("done\n")
                .toString();
    }

    private GuestTask harness(AgentRow agent) throws VmException {
        AgentRow.Identity identity = agent.identity();
        Harness harness = settings.harness(identity.harness())
                .orElseThrow(() ->
                        new VmException(Reason.INVALID, "there is no harness " + identity.harness() + " any more"));
        String arguments = identity.arguments() == null ? "" : identity.arguments();
        List<String> words = Words.of(arguments)
                .orElseThrow(() -> new VmException(Reason.INVALID, "the arguments have a quote that does not end"));
        String folder = AgentStage.HARNESS.task().folder();
        List<String> command = new ArrayList<>(List.of("env", "--chdir=" + REPOSITORY));
        command.addAll(harness.command(
                new Harness.Values(identity.prompt(), folder + "/" + PROMPT, folder + "/" + ARGUMENTS, REPOSITORY),
                words));
        try {
            return new GuestTask(
                    command, Map.of(PROMPT, identity.prompt(), ARGUMENTS, arguments), PROMPT, settings.timeBudget());
        } catch (IllegalArgumentException e) {
            throw new VmException(Reason.INVALID, "the harness cannot be run: " + e.getMessage(), e);
        }
    }
}
