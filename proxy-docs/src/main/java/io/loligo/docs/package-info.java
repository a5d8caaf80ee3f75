/**
 * Makes a static site of the Markdown files of this repository, and checks their links. A part of
 * the build, not of the proxy. Single-threaded.
 */
@NullMarked
package io.loligo.docs;

import org.jspecify.annotations.NullMarked;
