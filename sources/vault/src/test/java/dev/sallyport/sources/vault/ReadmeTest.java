package dev.sallyport.sources.vault;

import dev.sallyport.testkit.SourceContract;

/** The module's documentation: its tables are those of the records, its example is one. */
class ReadmeTest extends SourceContract {

    ReadmeTest() {
        super(new VaultConnectSourceFactory(), new VaultSourceFactory());
    }
}
