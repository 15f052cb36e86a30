package dev.sallyport.server.run;

/** The help of {@code sallyport run}. */
final class RunUsage {

    static final String TEXT = """
            Usage: sallyport run [OPTION]... -- COMMAND [ARGUMENT]...

            Run a program behind a proxy of its own: only what is allowed leaves, and with credentials that the
            program never sees.

            Options:
              --allow HOST[,HOST]    Let requests to these through: api.example.com, *.example.com, host:8443,
                                     192.0.2.0/24. May be repeated.
              --secret NAME=env:VAR@HOST[,HOST]
                                     The program's variable NAME holds a placeholder; the proxy puts the value of
                                     VAR in its place, on the way to these hosts only. May be repeated.
              --preset NAME[,NAME]   Let through what a tool needs: npm, pip, maven, go, cargo, apt, git, claude-code,
                                     codex. Package managers are asked for their registries.
              -config FILE           Begin with this configuration; it may lack listeners, dns and the authority.
              --replay FILE          The same, for a policy that was learned.
              --isolate auto|netns|env
                                     Keep the program in a network of its own (netns; Linux), or lead it to the
                                     proxy by variables, which a program may ignore (env). auto, the default, takes
                                     the best that works, and says which.
              --unix-socket PATH     With netns, let the program reach this UNIX socket, which leads outside.
              --learn OUT.yaml       Write the policy that would have let through what the program tried.
              --open                 With --learn: let everything through meanwhile.
              --ask                  Ask at the terminal about what would be refused: this method and path, until the
                                     program ends, or nothing more of that host. The program is halted meanwhile.
              --inspect              Show the records as they come on a page in the browser, whose address is printed.
              --audit FILE           Append a record of each request.
              --quiet                No summary at the end.
              -h, --help             Show this help.

            Standard input and output are the program's alone; what is said here goes to standard error. Exit code:
            the program's, 128 + N when signal N ended it, 126 when it cannot be executed, 127 when there is none,
            2 when the command line is wrong or asks for what does not work here.
            """;

    private RunUsage() {}
}
