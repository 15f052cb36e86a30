/** Other people's proxies as parents: docs/spec/decisions.md, section 17. */
@org.jspecify.annotations.NullMarked
package dev.sallyport.conformance.parent;
