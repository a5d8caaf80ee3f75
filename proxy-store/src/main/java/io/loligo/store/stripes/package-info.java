/** Places of their own for threads in what they share. */
package io.loligo.store.stripes;
