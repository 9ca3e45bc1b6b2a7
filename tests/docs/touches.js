(() => {
  const width = document.documentElement.clientWidth;
  const near = (box) => box.right > width - 6 || box.left < 6;
  const scrolled = (each) => {
    for (let up = each.parentElement; up && up !== document.body; up = up.parentElement)
      if (getComputedStyle(up).overflowX !== 'visible') return !near(up.getBoundingClientRect());
    return false;
  };
  const found = [...document.querySelectorAll('.md-content__inner *')].filter((each) => {
    const box = each.getBoundingClientRect(), style = getComputedStyle(each);
    const seen = box.width && box.height && style.visibility !== 'hidden' && style.position !== 'absolute';
    return seen && near(box) && !scrolled(each);
  });
  const leaves = document.documentElement.scrollWidth > width ? ['the page scrolls'] : [];
  return [...leaves, ...found.slice(0, 3).map((each) => each.outerHTML.slice(0, 80))];
})()
