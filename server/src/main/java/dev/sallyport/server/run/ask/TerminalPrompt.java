package dev.sallyport.server.run.ask;

import dev.sallyport.server.terminal.ControllingTerminal;
import dev.sallyport.server.terminal.Palette;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks on the terminal that the program uses too. The program is halted meanwhile: it could take the answer for its own
 * input, or write over the question; when it goes on nevertheless, the question ends. Yes is a number that nobody knows
 * before, so that what was typed for the program is no answer. A program that has changed how the terminal works, or
 * another job in the foreground, is not disturbed: nobody is asked then.
 */
public final class TerminalPrompt implements Prompt {

    private static final int ANSWER_SECONDS = 60;
    private static final int START_SECONDS = 5;
    private static final int POLL_MILLIS = 50;
    private static final int LEAST_NUMBER = 100_000;
    private static final int NUMBERS = 900_000;

    /** Resets what the program may have left: margins, colours, hidden text, another character set (ECMA-48, DEC STD 070). */
    private static final String SOFT_RESET = "\u001b[!p\u001b[0m\u001b(B\u000f";

    private final ControllingTerminal terminal;
    private final CompletableFuture<ProcessHandle> program;
    private final String reset;
    private final SecureRandom random = new SecureRandom();
    private volatile boolean interrupted;

    private TerminalPrompt(ControllingTerminal terminal, CompletableFuture<ProcessHandle> program, String reset) {
        this.terminal = terminal;
        this.program = program;
        this.reset = reset;
    }

    /**
     * For the terminal of this process, which stays open to its end.
     *
     * @param program completed when the program is started
     * @throws IOException with the reason why nobody can be asked
     */
    public static TerminalPrompt open(CompletableFuture<ProcessHandle> program, Map<String, String> environment)
            throws IOException {
        String ci = environment.getOrDefault("CI", "");
        if (!ci.isEmpty() && !ci.equalsIgnoreCase("false") && !ci.equals("0")) {
            throw new IOException("this is a CI job (CI=" + Palette.clean(ci) + ")");
        }
        boolean plain = environment.getOrDefault("TERM", "dumb").equals("dumb");
        return new TerminalPrompt(ControllingTerminal.open(), program, plain ? "" : SOFT_RESET);
    }

    /** Ends the question that is being asked: a signal has come, which the halted program cannot obey. */
    public void interrupt() {
        interrupted = true;
    }

    @Override
    public Answer put(Question question, List<String> credentials) throws InterruptedException {
        try {
            String hindrance = hindrance();
            if (!hindrance.isEmpty()) {
                return Answer.notAsked(hindrance);
            }
            interrupted = false;
            try (HaltedProgram halted = HaltedProgram.of(program.get(START_SECONDS, TimeUnit.SECONDS))) {
                hindrance = halted.hindrance();
                return hindrance.isEmpty()
                        ? ask(question, credentials, halted)
                        : Answer.notAsked("the program cannot be halted: " + hindrance);
            }
        } catch (IOException e) {
            return Answer.notAsked("asking failed: " + e.getMessage());
        } catch (ExecutionException | TimeoutException e) {
            return Answer.notAsked("the program is not there yet");
        }
    }

    private String hindrance() throws IOException, InterruptedException {
        if (!ControllingTerminal.inForeground()) {
            return "another job has the terminal";
        }
        return terminal.isLineByLine() ? "" : "the program uses the terminal itself";
    }

    private Answer ask(Question question, List<String> credentials, HaltedProgram halted)
            throws IOException, InterruptedException {
        String hindrance = hindrance(); // it may have changed until the program was halted
        if (!hindrance.isEmpty()) {
            return Answer.notAsked(hindrance);
        }
        if (terminal.hasLine()) {
            return Answer.notAsked("something was typed for the program");
        }
        String number = Integer.toString(LEAST_NUMBER + random.nextInt(NUMBERS));
        terminal.show(text(question, credentials, number));
        Answer answer = answer(number, halted);
        switch (answer.kind()) {
            case YES -> terminal.show("sallyport: let through\n");
            case NO -> terminal.show("sallyport: refused\n");
            case NOT_ASKED -> {
                // Another job's terminal is not written to: that would stop this process where stty has set tostop.
                if (ControllingTerminal.inForeground()) {
                    terminal.show("\nsallyport: refused: " + answer.reason() + '\n');
                }
            }
        }
        return answer;
    }

    private String text(Question question, List<String> credentials, String number) {
        StringBuilder text = new StringBuilder(reset)
                .append("\r\nsallyport: not allowed: ")
                .append(Palette.clean(question.text()))
                .append('\n');
        if (!credentials.isEmpty()) {
            text.append("sallyport: with it, credentials may be sent there, by: ")
                    .append(Palette.clean(String.join(", ", credentials)))
                    .append('\n');
        }
        return text.append("sallyport: type ")
                .append(number)
                .append(" to let this method and path through, with any query, until the program ends;\n")
                .append("sallyport: anything else refuses all of ")
                .append(Palette.clean(question.origin()))
                .append(" (")
                .append(ANSWER_SECONDS)
                .append(" s): ")
                .toString();
    }

    /** Waits for a line, and looks whether the terminal is still nobody else's. */
    private Answer answer(String number, HaltedProgram halted) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(ANSWER_SECONDS)) {
            if (interrupted) {
                return Answer.notAsked("a signal came");
            }
            if (!ControllingTerminal.inForeground()) {
                return Answer.notAsked("another job has got the terminal");
            }
            boolean has = terminal.hasLine();
            if (!halted.isStill()) {
                return Answer.notAsked("the program went on before there was an answer");
            }
            if (has) {
                String line = terminal.line();
                if (!halted.isStill()) {
                    return Answer.notAsked("the program went on before the answer was read");
                }
                return line.equals(number) ? Answer.YES : Answer.no("It was refused at the terminal.");
            }
            Thread.sleep(POLL_MILLIS);
        }
        terminal.show("\n");
        return Answer.no("Nobody answered at the terminal.");
    }
}
