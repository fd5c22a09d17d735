// How the pages of docs/ are listed.
import type {View} from '../output/view.ts'
import type {DocsPage} from './pages.ts'

export const docsView: View<Pick<DocsPage, 'topic' | 'title' | 'summary'>> = {
  singular: 'page',
  plural: 'pages',
  remarks: () => ['`svc docs TOPIC` shows a page, --web opens it in the browser.'],
  columns: [
    {name: 'topic', header: 'TOPIC', value: (page) => page.topic, rank: 0},
    {name: 'title', header: 'TITLE', value: (page) => page.title, rank: 1, onRequest: true},
    {name: 'summary', header: 'ABOUT', value: (page) => page.summary, rank: 0, widthMin: 24, wraps: true},
  ],
}
