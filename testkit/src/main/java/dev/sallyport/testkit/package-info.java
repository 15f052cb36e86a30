/** What authors of plug-ins test with: a harness, fakes and contract tests. */
@NullMarked
package dev.sallyport.testkit;

import org.jspecify.annotations.NullMarked;
