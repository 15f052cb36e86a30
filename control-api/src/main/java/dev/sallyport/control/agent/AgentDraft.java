package dev.sallyport.control.agent;

import dev.sallyport.control.model.Checked;
import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.ServerOwned;
import dev.sallyport.control.model.Texts;
import org.jspecify.annotations.Nullable;

/** An agent as a client asks for it. */
@ServerOwned({"id", "status", "vm_id", "created_at", "updated_at"})
public record AgentDraft(
        @Limits(
                min = 1,
                max = 64,
                pattern = Texts.PRINTABLE,
                expected = Texts.PRINTABLE_WORDS,
                description = "Unique among the agents of the account.")
        String name,

        @Limits(
                min = 1,
                max = 2048,
                pattern = AgentDraft.REPOSITORY,
                expected =
                        "the URL of a Git repository, https://, http://, ssh:// or git://, or USER@HOST:PATH, without a password",
                description = "The Git repository that it works on.")
        String repo,

        @Limits(
                min = 1,
                max = 244,
                pattern = AgentDraft.BRANCH,
                expected = "the name of a branch",
                description = "What is checked out; the repository's default branch when there is none.")
        @Nullable String branch,

        @Limits(min = 1, max = 64, description = "Which program it is; see the guide for those that there are.")
        @Nullable String harness,

        @Limits(
                min = 1,
                max = 32_768,
                pattern = AgentDraft.TEXT,
                expected = "a text without control characters but tabs and line feeds",
                description = "What it is to do.")
        String prompt,

        @Limits(
                max = 8192,
                pattern = AgentDraft.TEXT + "|",
                expected = "a text without control characters but tabs and line feeds",
                description =
                        "Arguments for its program, separated by blanks, with quotes as a shell has them; no shell reads them.")
        @Nullable String agentArgs,

        @Limits(description = "The snapshot that its VM begins as, instead of the image of the harness.") @Nullable String snapshotId)
        implements Checked {

    /** No transport helpers ({@code ext::}), no paths of this machine, and no passwords, which belong into secrets. */
    static final String REPOSITORY =
            "(?:https?|ssh|git)://(?:[A-Za-z0-9._~%+-]+@)?(?:[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:.]+\\])(?::[0-9]{1,5})?/[^\\x00-\\x20\\x7F]+"
                    + "|[A-Za-z0-9_][A-Za-z0-9._-]*@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?:[^\\x00-\\x20\\x7F/-][^\\x00-\\x20\\x7F]*";

    /** As git-check-ref-format(1), but for {@code ..} and {@code .lock}, see {@link #check}. */
    static final String BRANCH = "[^\\x00-\\x20\\x7F~^:?*\\[\\\\./-][^\\x00-\\x20\\x7F~^:?*\\[\\\\]*";

    static final String TEXT = "[^\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F\\x7F]+";

    @Override
    public void check(FieldProblems problems) {
        String ref = branch;
        if (ref != null
                && (ref.contains("..")
                        || ref.contains("@{")
                        || ref.contains("//")
                        || ref.contains("/.")
                        || ref.endsWith("/")
                        || ref.endsWith(".")
                        || ref.endsWith(".lock")
                        || ref.contains(".lock/"))) {
            problems.addUnlessTouched("branch", "malformed (expected: the name of a branch)");
        }
        if (agentArgs != null && Words.of(agentArgs).isEmpty()) {
            problems.addUnlessTouched("agent_args", "a quote or a backslash does not end (expected: pairs of quotes)");
        }
    }
}
